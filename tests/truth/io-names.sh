# io-names.sh: calls about names of files (open, stat, access, close, unlink, rename, mkdir, rmdir, opendir, fopen): their numbers per file and
# per directory are what strace counts, and a storm of them is named in the overview.
. "$(dirname "$0")/../expect.sh"
cd "$T" || exit 1

cat >storm.c <<'END'
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* N files of a directory: made, looked up, opened, renamed, removed. */
int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 100, two, fd;
	char name[400], to[400];
	struct stat st;
	DIR *d;

	if (chdir(argv[1]) || mkdir("many", 0700) || mkdirat(AT_FDCWD, "two", 0700)) return 1;
	two = open("two", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many/f%d", i);
		fd = open(name, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || fstat(fd, &st) || close(fd)) return 2;
	}
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "./many/f%d", i);
			if (stat(name, &st) || access(name, R_OK)) return 3;
			snprintf(name, sizeof(name), "%s/many/none%d", argv[1], i);
			errno = 0;
			if (!lstat(name, &st) || errno != ENOENT || open(name, O_RDONLY) >= 0 || errno != ENOENT) return 4;
		}
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "many/f%d", i);
		snprintf(to, sizeof(to), "two/g%d", i);
		FILE *f = fopen(name, "r");
		if (!f || fclose(f) || rename(name, to)) return 5;
		snprintf(to, sizeof(to), "g%d", i);
		if (fstatat(two, to, &st, 0) || unlinkat(two, to, 0)) return 6;
	}
	errno = 0;
	if (stat(NULL, &st) == 0 || errno != EFAULT || open((char *)8, O_RDONLY) >= 0 || errno != EFAULT) return 7;
	if (!(d = opendir("many"))) return 8;
	while (readdir(d))
		;
	return closedir(d) || close(two) || rmdir("many") || rmdir("two");
}
END
${CC:-cc} -O1 -w storm.c -o storm || skip_all "no compiler"
mkdir files
files=$(cd files && pwd -P)
ok "without a recorder the program finds all as it should be" ./storm "$files" 50
tau-record --wrap io -o run ./storm "$files" 50 >out 2>err
is "with it, too" "$? $(ls files)" "0 "
sum() { tau-report io --top 0 -f csv run 2>/dev/null | tr -d '\r' | awk -F, -v op="$1" '$1 == op { n += $2 } END { print n + 0 }'; }
table() { for op in open close stat access remove rename mkdir rmdir list; do printf '%s %s\n' $op "$(sum $op)"; done; }
is "calls of each operation, as the program makes them" "$(table | tr '\n' ' ')" \
	"open 252 close 101 stat 401 access 150 remove 50 rename 50 mkdir 2 rmdir 2 list 1 "
row() { tau-report io "$1" "$2" --top 0 -f csv run 2>/dev/null | tr -d '\r' | awk -F, -v op="$3" -v name="$4" '$1 == op && $NF == name { print $2 }'; }
is "calls of one file: made and opened, three times looked up by name and once by its number" \
	"$(for op in open close stat access rename; do row --by file $op "$files/many/f7"; done | tr '\n' ' ')" "2 2 4 3 1 "
is "... and below the directory of a descriptor" "$(row --by file stat "$files/two/g7") $(row --by file remove "$files/two/g7")" "1 1"
is "calls of one that is not there" "$(row --by file open "$files/many/none7") $(row --by file stat "$files/many/none7")" "3 3"
is "calls of a directory" "$(for op in open close stat access rename list; do row --by directory $op "$files/many"; done | tr '\n' ' ')" "250 100 350 150 50 1 "
is "it has names of files" "$(tau-report io --by directory -f csv run 2>/dev/null | tr -d '\r' | awk -F, -v name="$files/many" '$1 == "open" && $NF == name { print $3 }')" 100
is "each call has a time" "$(tau-report io --top 0 -f csv run 2>/dev/null | tr -d '\r' | awk -F, 'NR > 1 && !($4 > 0)' | head -2)" ""
is "no bytes are made of them" "$(tau-report profile run -f csv 2>/dev/null | grep -c 'Bytes')" 0
tau-dump --check run >checked 2>&1 && pass "the trace is correct" || { fail "the trace is correct"; cat checked; }

# The kernel's count. The loader, and opendir(), open and close files besides.
if command -v strace >/dev/null && strace -c -o none true 2>/dev/null; then
	strace -f -o calls ./storm "$files" 50
	kernel() { grep -c -E "^[0-9]+ +($1)\(.*($files|\"\.?/?(many|two)|\"g[0-9]|\"two\"|NULL|0x8)" calls; }
	is "open, as strace counts it" "$(sum open)" "$(($(kernel 'open|openat') - 1))"
	is "stat, too: by name" "$(($(sum stat) - 50))" "$(kernel 'stat|lstat|newfstatat|fstatat|statx')"
	is "access" "$(sum access)" "$(kernel 'access|faccessat|faccessat2')"
	is "unlink" "$(sum remove)" "$(kernel 'unlink|unlinkat')"
	is "rename" "$(sum rename)" "$(kernel 'rename|renameat|renameat2')"
	is "mkdir and rmdir" "$(($(sum mkdir) + $(sum rmdir)))" "$(kernel 'mkdir|mkdirat|rmdir')"
else
	skip "the kernel's count" "strace is not installed, or may not trace"
fi

# More files than are distinguished are counted by their directory.
tau-record --wrap io -o large ./storm "$files" 5000 >out 2>err
is "5000 files" "$?" 0
is "no call is lost" "$(tau-report io --by directory -f csv large 2>/dev/null | tr -d '\r' | awk -F, -v name="$files/many" '($1 == "open" || $1 == "stat") && $NF == name { print $1, $2 }' | sort | tr '\n' ' ')" "open 25000 stat 35000 "
tau-report large >overview 2>&1
like "the overview names the storm" "$(grep -A2 -E '^ +[0-9]+\. (opening|looking up|closing|removing|renaming) files' overview | tr '\n' ' ')" \
	'files: .* calls move no bytes, .* tau-report io --by directory large'
is "and not reading and writing" "$(grep -c 'reading and writing files' overview)" 0
tap_end
