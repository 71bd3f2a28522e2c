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
is "rows with the most time are first, whether they move bytes or not" \
	"$(awk -F, 'NR > 1 && $4 == "" { $4 = 0 } NR > 2 && $4 + 0 > last { n++ } { last = $4 + 0 } END { print (NR > 5), n + 0 }' csv)" "1 0"
is "calls, bytes, small calls, least and most of each file" \
	"$(awk -F, '$1 ~ /read|write/ && $10 ~ /\/(one|two)$/ { sub(".*/", "", $10); print $10, $1, $2, $3, $6, $8, $9 }' csv | sort)" "one read 3 12288 0 4096 4096
one write 10 655360 0 65536 65536
two write 100 10000 100 100 100"
is "bandwidth is bytes by time" "$(awk -F, 'NR > 1 && $4 > 0 { d = $3 / $4 / 1000 - $5; n += d > 1e-6 * $5 || d < -1e-6 * $5 } END { print n + 0 }' csv)" 0
is "sizes add up to the files" "$(tau-report io --by size -f csv run | awk -F, 'NR > 1 { a += $3; b += $4; c += $5; d += $6 } END { print a + c, b + d }')" \
	"$(awk -F, '$1 ~ /read|write/ { c += $2; b += $3 } END { print c, b }' csv)"
for by in file directory size; do
	for f in text csv json; do tau-report io --by $by -f $f run >agree.$f; done
	is "--by $by: text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" agree.text agree.csv agree.json)" same
done
tau-report io -f svg run >out 2>&1
is "there is no picture" "$? $(cat out)" "2 tau-report: io: there is no picture; formats are text, markdown, html, csv and json"
tau-record --wrap process -o none ./moves >/dev/null 2>&1
tau-report io none >out 2>&1
is "a run without the wrapper" "$? $(cat out)" \
	"3 tau-report: none: it contains no calls about files; they are recorded by tau-record --wrap io"

# Offsets: of calls that name them, and of calls that move at least 65536 bytes from the position of a regular file.
cat >offsets.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
static char block[65536];
static void moves(ssize_t n, ssize_t expected)
{
	if (n != expected || errno != 77)
		exit(1);
}
static int file(const char *name, int flags)
{
	int fd = open(name, O_RDWR | O_CREAT | flags, 0600);

	errno = 77;
	return fd;
}
int main(void)
{
	struct iovec v = {block, 10};
	int fd, other, p[2];
	FILE *f;

	fd = file("named", 0);
	for (int i = 0; i < 10; i++)
		moves(pwrite(fd, block, 4096, i * 4096), 4096);
	for (int i = 0; i < 10; i++)
		moves(pwrite(fd, block, 100, i * 1000), 100);	/* one is at 0 */
	moves(pread(fd, block, 100, 4096), 100);
	moves(pread64(fd, block, 100, 4097), 100);
	moves(preadv(fd, &v, 1, 8), 10);
	moves(preadv2(fd, &v, 1, 16, 0), 10);
	moves(preadv2(fd, &v, 1, -1, 0), 10);	/* as read(): too short */
	moves(pwritev(fd, &v, 1, 4095), 10);
	moves(pread(fd, block, 100, 1000001), 0);	/* behind the end: no access */
	fd = file("position", 0);
	moves(write(fd, block, 65536), 65536);
	moves(write(fd, block, 100), 100);
	moves(write(fd, block, 65536), 65536);	/* at 65636 */
	other = dup(fd);
	moves(write(other, block, 65536), 65536);	/* at 131172 */
	lseek(fd, 8192, SEEK_SET);
	moves(read(other, block, 65536), 65536);
	lseek(other, 1, SEEK_SET);
	moves(read(fd, block, 65536), 65536);
	if (fork() == 0)
		_exit(read(fd, block, 65536) != 65536);	/* at 65537 */
	wait(NULL);
	moves(read(fd, block, 65536), 65536);	/* at 131073 */
	fd = file("appended", O_APPEND);
	moves(write(fd, block, 1), 1);
	lseek(fd, 0, SEEK_SET);
	moves(write(fd, block, 65536), 65536);	/* at 1 */
	moves(pwrite(fd, block, 4096, 0), 4096);	/* at the end, wherever that is */
	f = fopen("stream", "w");
	if (fwrite(block, 1, 65536, f) != 65536 || fclose(f) || pipe(p))
		return 1;
	errno = 77;
	moves(write(p[1], block, 65536), 65536);
	moves(read(p[0], block, 65536), 65536);
	return 0;
}
C
${CC:-cc} -o offsets offsets.c || exit 1
./offsets || fail "the program works alone"
tau-record --wrap io,process -o at ./offsets >/dev/null 2>err
is "the program works as without a recorder" "$?" 0
unaligned() { awk -F, '$1 ~ /read|write/ { sub(".*/", "", $10); print $10, $1, $2, $7 }' "$1" | sort; }
tau-report io --top 0 -f csv at | tr -d '\r' >csv
truth="appended write 3 1
named read 6 3
named write 21 10
pipe read 1 
pipe write 1 
position read 4 3
position write 4 2
stream write 1 "
is "calls at no multiple of 4096 bytes, empty where no offset is known" "$(unaligned csv)" "$truth"
is "--unit: the heading is the unit of the values" "$(for u in us ms s; do tau-report io --unit $u at | awk '/^ *calls/ { print $3 }'; done | tr '\n' ' ')" "us ms s "
is "the text says of how many calls" "$(tau-report io at | grep unaligned: | tr '\n' ' ')" \
	"19 of 33 calls with a known offset are unaligned: at no multiple of 4096 bytes. "
terminal 80 tau-report io at >narrow
is "80 columns have room for names of files" "$(awk 'length > 80' narrow; awk '/calls/ && /file$/ { print (80 - index($0, "file") >= 15 ? "room" : $0) }' narrow)" room
tau-convert at copy.run >/dev/null 2>&1
is "a copy has the same offsets" "$(tau-dump copy.run | grep -c ' offset=') $(tau-report io --top 0 -f csv copy.run | tr -d '\r' | cmp - csv 2>&1)" "33 "
tau-convert at at.json >/dev/null 2>&1
is "JSON has them" "$(grep -c '"offset":4097[,}]' at.json) $(grep -c '"offset":' at.json)" "1 33"
tau-convert --to otf2 at at.otf2 >/dev/null 2>err
like "OTF2: the loss is reported" "$(cat err)" "33 offsets in files"
is "OTF2 has none" "$(tau-report io --top 0 -f csv at.otf2 | tr -d '\r' | awk -F, 'NR > 1 { n += $7 != "" } END { print n + 0 }')" 0
# On a loaded machine another call, such as pipe(), may be the longest by far.
for try in 1 2 3 4 5; do
	tau-report -f csv at | grep 'reading and writing files' | grep -q 'unaligned' && break
	rm -rf at && tau-record --wrap io,process -o at ./offsets >/dev/null 2>err
done
like "the overview names them" "$(tau-report -f csv at | grep 'reading and writing files')" '19 are unaligned'
tau-record --wrap io --call-sites -o sites ./offsets >/dev/null 2>&1
is "with --call-sites, too" "$(tau-report io --top 0 -f csv sites | tr -d '\r' | awk -F, 'NR > 1 { n += $7 } END { print n }')" 19
tap_end
