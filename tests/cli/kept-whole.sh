# kept-whole.sh: the critical path and the waits of a long run are kept beside it: later reports print the same without reading events. What is
# damaged, cut or of another trace is not used, and of a run that is being recorded nothing is kept.
. "$(dirname "$0")/../tap.sh"
command -v mpicc >/dev/null && command -v mpirun >/dev/null || skip_all "no MPI"
cd "$T" || exit 1
mpicc -O1 -o ring "$TOP/bench/ring.c" 2>err || skip_all "ring.c cannot be built: $(head -n 1 err)"
mpirun -np 2 tau-record --wrap mpi -o run ./ring 60000 >/dev/null 2>err || cat err
first=$(ls run/*.tau | head -n 1)
beside() { ls run | grep -E '\.(path|waits)$' | sed 's/.*\.//' | tr '\n' ' '; }
kept() { ls run/*."$1"; }

n=0
while read -r kind suffix options; do
	n=$((n + 1))
	rm -f run/*.path run/*.waits
	tau-report $kind $options run >first.$n 2>err || cat err
	is "$kind $options: keeps one file" "$(beside)" "$suffix "
	tau-report $kind $options run >second 2>err
	ok "$kind $options: the second one prints the same" cmp first.$n second
	# Events that cannot be read any more are not missed, as the times of the file are not new.
	cp -p "$first" whole
	printf 'x' | dd of="$first" bs=1 seek=$(($(wc -c <"$first") / 2)) conv=notrunc 2>/dev/null
	touch -r whole "$first"
	tau-report $kind $options run >third 2>err
	ok "$kind $options: no event is read for it" cmp first.$n third
	cp -p whole "$first"
done <<'END'
critical-path path
critical-path path --by step --top 0 -f csv
critical-path path --by rank -f json
waits waits
waits waits --by culprit
waits waits --by all --top 0 -f csv
waits waits --by causes -f json
END
rm -f run/*.path run/*.waits
tau-report waits run >/dev/null
cp "$(kept waits)" without
tau-report waits --by culprit run >culprits
ok "culprits come from one more pass, which keeps them" sh -c "! cmp -s without '$(kept waits)'"
ok "they are the same" cmp first.5 culprits
tau-report waits run >second
ok "and so are waits that are read with them" cmp first.4 second

# What is kept of everything is not an answer to something else.
for options in "-w 0s:10ms" "--rank 0"; do
	for kind in critical-path waits; do
		tau-report $kind $options run >with 2>&1
		mkdir -p away && mv run/*.path run/*.waits away 2>/dev/null
		tau-report $kind $options run >without 2>&1
		is "$kind $options: nothing is kept" "$(beside)" ""
		ok "$kind $options: the same with and without" cmp with without
		mv away/* run
	done
done
tau-report critical-path run >/dev/null
is "now there are both" "$(beside)" "path waits "
tau-report critical-path -f svg run >with.svg
mv "$(kept path)" away
tau-report critical-path -f svg run >without.svg
ok "a picture is the same with and without" cmp with.svg without.svg

# Damaged, cut, and of another kind: not used, not trusted, and written anew.
tau-report critical-path run >/dev/null
for suffix in path waits; do
	file=$(kept $suffix)
	kind="waits --by culprit" want=first.5
	[ $suffix = path ] && kind=critical-path want=first.1
	cp "$file" good
	size=$(wc -c <good)
	bad=""
	for at in 0 9 20 60 100 115 130 $((size / 2)) $((size - 1)); do
		cp good "$file"
		printf '\377' | dd of="$file" bs=1 seek=$at conv=notrunc 2>/dev/null
		tau-report $kind run 2>&1 | cmp -s - $want || bad="$bad byte $at"
		tau-dump --check run >/dev/null 2>&1 || bad="$bad check $at"
	done
	for length in 0 1 64 128 200 $((size / 2)) $((size - 1)); do
		head -c "$length" good >"$file"
		tau-report $kind run 2>&1 | cmp -s - $want || bad="$bad length $length"
	done
	is "$suffix: damaged or cut, the report is the same" "$bad" ""
	ok "$suffix: it is made anew" cmp good "$file"
	rm "$file"
	mkdir "$file"
	is "$suffix: a directory in its place" "$(tau-report $kind run 2>&1 | cmp - $want && ls run | grep -c "$suffix\..")" "0"
	rmdir "$file"
	mkfifo "$file"
	is "$suffix: a pipe in its place" "$(timeout 60 tau-report $kind run 2>&1 | cmp - $want && echo same)" same
	rm -f "$file"
done
mv "$(kept path)" good 2>/dev/null || { tau-report critical-path run >/dev/null; mv "$(kept path)" good; }
tau-report waits run >/dev/null
cp good "$(kept waits)"
ok "that of one is not taken for the other" sh -c "tau-report waits run 2>&1 | cmp - first.4"

# Another trace.
mpirun -np 2 tau-record --wrap mpi -o other ./ring 59000 >/dev/null 2>err || cat err
tau-report critical-path other >other.path
tau-report waits other >other.waits
for suffix in path waits; do
	cp run/*.$suffix "$(ls other/*.$suffix)" 2>/dev/null || cp good "$(ls other/*.$suffix)"
done
tau-report critical-path run >/dev/null
cp "$(kept path)" "$(ls other/*.path)"
ok "the path of another run is not used" sh -c "tau-report critical-path other 2>&1 | cmp - other.path"
ok "nor are its waits" sh -c "tau-report waits other 2>&1 | cmp - other.waits"
second=$(ls run/*.tau | tail -n 1)
rm -f "$second"
tau-report waits run >gone 2>&1
ok "without one of its files, what was kept of all is not used" sh -c "! cmp -s gone first.4"

# A run that grows.
cat >steps.c <<'C'
#include <unistd.h>
void step(void) { }
int main(void)
{
	alarm(600);
	for (int i = 0; i < 400000; i++)
		step();
	write(1, "x", 1);
	read(0, &(char){0}, 1);
	return 0;
}
C
${CC:-cc} -O1 -w -finstrument-functions -o steps steps.c
mkfifo go
tau-record -o live ./steps <go >said 2>err &
recording=$!
exec 9>go
for try in $(seq 200); do [ -s said ] && break; sleep 0.2; done
tau-report critical-path live >during 2>&1
is "of a run that is being recorded nothing is kept" "$(ls live | grep -cE '\.(path|waits)$')" 0
exec 9>&-
wait $recording
tau-report critical-path live >after
ok "when it has ended, it is" test "$(ls live | grep -c '\.path$')" = 1
tau-report critical-path live >again
ok "and is the same" cmp after again
tap_end
