# io.sh: tau-report io against programs that move known numbers of bytes, and against the records themselves.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >moves.c <<'C'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	static char block[65536];
	int fd = open("one", O_RDWR | O_CREAT, 0600), other = open("two", O_RDWR | O_CREAT, 0600);

	for (int i = 0; i < 10; i++)
		if (write(fd, block, 65536) != 65536)
			return 1;
	for (int i = 0; i < 100; i++)
		if (write(other, block, 100) != 100)
			return 1;
	lseek(fd, 0, SEEK_SET);
	for (int i = 0; i < 3; i++)
		if (read(fd, block, 4096) != 4096)
			return 1;
	return 0;
}
C
${CC:-cc} -o moves moves.c || exit 1
tau-record --wrap io -o run ./moves >/dev/null 2>err || { fail "it is recorded"; cat err; }
tau-report io -f csv run | tr -d '\r' >csv
is "calls, bytes, small calls, least and most of each file, most bytes first" \
	"$(awk -F, '$9 ~ /\/(one|two)$/ { sub(".*/", "", $9); print $9, $1, $2, $3, $6, $7, $8 }' csv)" "one write 10 655360 0 65536 65536
one read 3 12288 0 4096 4096
two write 100 10000 100 100 100"
is "bandwidth is bytes by time" "$(awk -F, 'NR > 1 && $4 > 0 { d = $3 / $4 / 1000 - $5; n += d > 1e-6 * $5 || d < -1e-6 * $5 } END { print n + 0 }' csv)" 0
is "sizes add up to the files" "$(tau-report io --by size -f csv run | awk -F, 'NR > 1 { a += $3; b += $4; c += $5; d += $6 } END { print a + c, b + d }')" \
	"$(awk -F, 'NR > 1 { c += $2; b += $3 } END { print c, b }' csv)"
for by in file size; do
	for f in text csv json; do tau-report io --by $by -f $f run >agree.$f; done
	is "--by $by: text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" agree.text agree.csv agree.json)" same
done
tau-report io -f svg run >out 2>&1
is "there is no picture" "$? $(cat out)" "2 tau-report: io: there is no picture; formats are text, markdown, html, csv and json"
tau-record --wrap process -o none ./moves >/dev/null 2>&1
tau-report io none >out 2>&1
is "a run without the wrapper" "$? $(cat out)" \
	"3 tau-report: none: it contains no reads and writes; they are recorded by tau-record --wrap io"
tap_end
