# process.sh: the wrapper of processes: every member of a family records, however it was made, names its parent, and leaves no
# live file.
. "$(dirname "$0")/../expect.sh"

mkdir "$T/files"
if [ -n "$TAU_TEST_EMULATED" ]; then
	skip "the program that does all of it" "$TAU_TEST_EMULATED gives a child of vfork memory of its own"
else
plain=$("$B/apps/process" "$T/files" 2>&1 >/dev/null </dev/null)
is "without a recorder the program finds all as it should be" "$? $plain" "17 "
record process --wrap process "$B/apps/process" "$T/files"
is "with it, too: the status is that of the last program of the chain" "$code $(grep '^process:' "$T/process.err")" "17 "
expect process
is "no live file is left, nor is one of the child that was killed" "$(ls "$T/process.run" | grep -c '\.live$')" 0
is "no other repairs were needed" "$(grep -c repaired "$T/process.why")" 0
fi

# Who is whose child: the first number is the process, its parent is another process of the run.
record family --wrap process sh -c '(:; /bin/true); exit 0'
is "a shell and its children end as they should" "$code" 0
for f in "$T/family.run"/*.tau; do
	tau-dump "$f" 2>/dev/null | sed -n 's/.*META name="\(Process\|Parent Process\)" value="\([0-9a-f]*\)"/\1 \2/p'
done >"$T/members"
is "parents are members of the family" "$(awk '$1 == "Process" { p[$2] = 1 } $1 == "Parent" { q[$3] = 1 }
	END { for (i in q) { n++; if (!(i in p)) print "unknown " i } print (n >= 1) }' "$T/members")" 1

# However a program was made: each but the first has its parent in the run, and a program its own predecessor.
cat >"$T/makes.c" <<'END'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(void)
{
	char *argv[] = { "true", NULL };
	pid_t p;

	if (posix_spawnp(&p, "true", NULL, NULL, argv, environ) || waitpid(p, NULL, 0) != p)
		return 1;
	if (system("true"))
		return 2;
	if (!(p = fork()))
		execlp("true", "true", (char *)NULL);
	return waitpid(p, NULL, 0) == p ? 0 : 3;
}
END
ok "a program that makes others builds" ${CC:-cc} "$T/makes.c" -o "$T/makes"
for wrap in process none; do
	record makes --wrap $wrap "$T/makes"
	is "it ends as it should, wrappers: $wrap" "$code" 0
	for f in "$T/makes.run"/*.0.tau; do
		tau-dump --only definitions "$f" 2>/dev/null | sed -n 's/.*META name="\(Process\|Parent Process\|Command Line\)" value="\(.*\)"/\1|\2/p'
		echo
	done | awk -F '|' '
		$1 == "Process" { id = $2 } $1 == "Parent Process" { up = $2 } $1 == "Command Line" { name = $2 }
		NF == 0 { n++; names[id] = name; parent[id] = up; id = up = name = "" }
		END { for (i in names) {
			if (!(i in parent) || parent[i] == "") { orphans++; continue }
			if (!(parent[i] in names)) strangers++
			if (names[i] ~ /^(true|sh)/ && names[parent[i]] ~ /makes$/) children++
		} print orphans + 0, strangers + 0, children + 0 }' >"$T/family"
	is "all but the first know their parent, wrappers: $wrap" "$(cat "$T/family")" "1 0 3"
done

# dlopen looks for libraries in the folders that its caller names.
mkdir "$T/lib"
echo 'int answer(void) { return 42; }' >"$T/x.c"
cat >"$T/caller.c" <<'END'
#include <dlfcn.h>
int main(void)
{
	void *x = dlopen("libanswer.so", RTLD_NOW);
	int (*answer)(void) = x ? (int (*)(void))dlsym(x, "answer") : 0;
	return answer ? answer() : 1;
}
END
${CC:-cc} -shared -fPIC "$T/x.c" -o "$T/lib/libanswer.so" &&
	${CC:-cc} "$T/caller.c" -o "$T/caller" -Wl,--enable-new-dtags,-rpath,"$T/lib" -ldl
"$T/caller"
is "a library is found by the program's own path" "$?" 42
record caller --wrap process "$T/caller"
is "and with the recorder, too" "$code" 42
printf 'EXPECT event Libraries opened <file="libanswer.so"> n 1 sum 1\n' >"$T/caller.out"
expect caller

# ---- processes, and the programs that they become ----
tau-record -o "$T/images" sh -c 'sh -c "exec /bin/true"; /bin/true; exec /bin/true' 2>"$T/images.err"
like "a process that becomes another program is one" "$(cat "$T/images.err")" ': 3 processes \([56] program images\), '
tau-record -o "$T/image" sh -c 'exit 0' 2>"$T/image.err"
like "one that does not is one, too" "$(cat "$T/image.err")" ': 1 process, '
tap_end
