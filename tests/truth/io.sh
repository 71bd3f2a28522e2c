# io.sh: the wrapper of files and streams: bytes, bandwidth and errors, of each file and on each call path, through duplicates,
# numbers used again, forks and threads.
. "$(dirname "$0")/../expect.sh"

mkdir "$T/plain" "$T/files"
ok "without a recorder the program finds all as it should be" "$B/apps/io" "$T/plain"
record io --wrap io "$B/apps/io" "$T/files"
is "with it, too" "$code $(grep -c '^# .*gave' "$T/io.out")" "0 0"
if [ -n "$TAU_TEST_EMULATED" ]; then
	skip "what a child of vfork writes" "$TAU_TEST_EMULATED gives it memory of its own"
	# Its definitions have the numbers of the parent's next ones, here of the file s.
	sed -i '/files\/\(vchild\|s\)">/d' "$T/io.out"
fi
expect io
is "the files hold the same" "$(cd "$T/files" && cksum *)" "$(cd "$T/plain" && cksum *)"

# The recorder's own files are not counted.
is "no file of the recorder is among them" "$(grep -c -e '\.tau"' -e '\.live"' -e 'io\.run' "$T/io.csv")" 0
# A bandwidth is given for every call that moved something, and it is one that can be.
bandwidth() { grep '"\?'"$1"' Bandwidth (MB/s)"\?,' "$T/io.csv" | awk -F, '{ n += $12; if ($13 > 1e6 || $14 <= 0) bad = 1 } END { print n + 0, bad + 0 }'; }
moved() { grep '"\?'"$1"'"\?,' "$T/io.csv" | awk -F, '{ n += $12 } END { print n }'; }
is "every write that the program waited for has its bandwidth" "$(bandwidth Write)" \
	"$(($(moved 'Bytes Written') - $(moved 'Bytes Written : aio_return()'))) 0"

# More files than are distinguished: the others are counted together, none is lost.
cat >"$T/many.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char name[40];

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		int fd = open(name, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || write(fd, name, 3) != 3)
			return 1;
		close(fd);
		unlink(name);
	}
	return 0;
}
END
ok "a program with 5000 files builds" ${CC:-cc} "$T/many.c" -o "$T/many"
cd "$T" || exit 1
record many --wrap io "$T/many"
is "it ends as it should" "$code" 0
printf 'EXPECT event Bytes Written n 5000 sum 15000\nEXPECT event Bytes Written <file="'"$(pwd -P)"'/(other files)"> n 1..4999\n' >"$T/many.out"
expect many
is "each file is its own or among the others" "$(grep -v ' : ' "$T/many.csv" | grep 'Bytes Written <file=' |
	sed 's/"[^"]*""[^,]*"/q/; s/^[^q]*q,//' | awk -F, '{ n += $6 } END { print n }')" 5000
tap_end
