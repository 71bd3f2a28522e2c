# selected.sh: --select and --patch in libraries with relative paths, in libraries that are loaded later, and in programs that a
# script, env or another program starts.
. "$(dirname "$0")/../expect.sh"

cat >"$T/lib.c" <<'E'
void keep_lib(void) {}
void drop_lib(void) {}
E
cat >"$T/later.c" <<'E'
void keep_later(void) {}
void drop_later(void) {}
void later(void) { keep_later(); drop_later(); }
E
cat >"$T/program.c" <<'E'
#include <dlfcn.h>
#include <stdio.h>
void keep_lib(void);
void drop_lib(void);
void keep_it(void) {}
void drop_it(void) {}
int main(int argc, char **argv)
{
	void *h = dlopen("./liblater.so", RTLD_NOW);
	void (*later)(void) = h ? (void (*)(void))dlsym(h, "later") : NULL;

	for (int i = 0; i < 7; i++) {
		keep_it();
		drop_it();
		keep_lib();
		drop_lib();
		later();
	}
	puts("EXPECT region keep_it calls 7\nEXPECT region keep_lib calls 7\nEXPECT region keep_later calls 7");
	return argc + (argv == NULL) - argc;
}
E
cat >"$T/script" <<'E'
#!/bin/sh
./program
exit $?
E
chmod +x "$T/script"
printf 'BEGIN_EXCLUDE_LIST\ndrop_#\nEND_EXCLUDE_LIST\n' >"$T/exclude"
printf 'BEGIN_INCLUDE_LIST\nkeep_#\nEND_INCLUDE_LIST\n' >"$T/include"
cd "$T" || exit 1

build() {	# options of the compiler
	${CC:-cc} -O0 $1 -shared -fPIC lib.c -o libit.so && ${CC:-cc} -O0 $1 -shared -fPIC later.c -o liblater.so &&
		${CC:-cc} -O0 $1 program.c -o program -L. -lit -ldl -Wl,-rpath,. 2>/dev/null
}
dropped() { grep -c '"[^"]*drop_' "$T/$1.csv"; }

n=0
for id in "" -Wl,--build-id=none; do
	build "-finstrument-functions $id" || { skip "programs $id" "the compiler cannot make them"; continue; }
	for list in exclude include; do
		for command in ./program "env ./program" ./script "env -u A sh -c ./script"; do
			n=$((n + 1))
			record s$n --select $list $command
			is "$list, $command${id:+, no build id}: ends as it should" "$code" 0
			expect s$n
			is "$list, $command: nothing else is recorded" "$(dropped s$n)" 0
			is "$list, $command: no message but the last line" "$(grep -vc "^tau-record: $T/s$n.run: " s$n.err)" 0
		done
	done
done

# Two programs with different selections in one job: each has its own.
if [ -n "$(command -v mpirun)" ] && build -finstrument-functions; then
	cp program other
	printf 'BEGIN_EXCLUDE_LIST\nkeep_it\nEND_EXCLUDE_LIST\n' >"$T/other.list"
	# One line for both: Open MPI 5.0.7's mpirun crashes where several programs are given (A : B), whatever they are.
	mpirun --oversubscribe -np 2 sh -c '
		case $OMPI_COMM_WORLD_RANK in
		0) exec tau-record -w none -o both.run --select exclude env ./program ;;
		*) exec tau-record -w none -o both.run --select other.list env ./other ;;
		esac' >both.out 2>both.err
	tau-trace2profile --format csv both.run >both.csv
	is "two selections: the first" "$(calls both drop_it)" 7
	is "two selections: the second" "$(calls both keep_it)" 7
fi

if build "-fpatchable-function-entry=5 -fcf-protection=none"; then
	sed -i '/keep_later/s/\\nEXPECT.*keep_later calls 7//' program.c
	build "-fpatchable-function-entry=5 -fcf-protection=none"
	for command in ./program "env ./program" ./script; do
		n=$((n + 1))
		record p$n --patch 'keep_#' $command
		expect p$n
		is "--patch, $command: nothing else is recorded" "$(dropped p$n)" 0
		is "--patch, $command: no message but the last line" "$(grep -vc "^tau-record: $T/p$n.run: " p$n.err)" 0
	done
	record none --patch nothing ./script
	like "--patch: no such function in any program" "$(cat none.err)" "no patchable function named 'nothing'"
else
	skip "--patch" "the compiler cannot make such programs"
fi
tap_end
