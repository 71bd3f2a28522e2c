# process.sh: the wrapper of processes: every member of a family records, however it was made, knows its parent, and leaves no
# live file behind unless it was killed.
. "$(dirname "$0")/../expect.sh"

mkdir "$T/files"
plain=$("$B/apps/process" "$T/files" 2>&1 >/dev/null </dev/null)
is "without a recorder the program finds all as it should be" "$? $plain" "17 "
record process --wrap process "$B/apps/process" "$T/files"
is "with it, too: the status is that of the last program of the chain" "$code $(grep '^process:' "$T/process.err")" "17 "
expect process
is "only the child that was killed left a live file" "$(ls "$T/process.run" | grep -c '\.live$')" 1
is "no other repairs were needed" "$(grep -c repaired "$T/process.why")" 0

# Who is whose child: the first number is the process, its parent is another process of the run.
record family --wrap process sh -c '(:; /bin/true); exit 0'
is "a shell and its children end as they should" "$code" 0
for f in "$T/family.run"/*.tau; do
	tau-dump "$f" 2>/dev/null | sed -n 's/.*META name="\(Process\|Parent Process\)" value="\([0-9a-f]*\)"/\1 \2/p'
done >"$T/members"
is "parents are members of the family" "$(awk '$1 == "Process" { p[$2] = 1 } $1 == "Parent" { q[$3] = 1 }
	END { for (i in q) { n++; if (!(i in p)) print "unknown " i } print (n >= 1) }' "$T/members")" 1

# dlopen looks for libraries as its caller says.
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
tap_end
