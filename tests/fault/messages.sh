# messages.sh: what the recorder prints goes to stderr and to no file that the program has opened under its number; tau-record prints it then.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >data.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int leaf(int x) { return x + 1; }

/* Descriptor 2 becomes something else: a file of data, a pipe, a socket; for this process, a child, or a program that it starts. */
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int fd = -1, s = 0, pair[2] = {-1, -1};
	static char text[4096];
	ssize_t n = 0;

	if (!strcmp(how, "work")) {
		for (int i = 0; i < 3000000; i++)
			s = leaf(s);
		return (int)write(2, "payload\n", 8) != 8;
	}
	close(2);
	if (!strcmp(how, "pipe"))
		(void)!pipe(pair);
	else if (!strcmp(how, "socket"))
		(void)!socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	else
		fd = open("data.bin", O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (pair[1] >= 0 && pair[1] != 2) {	/* 2 is the end that is read */
		int other = dup(2);

		dup2(pair[1], 2);
		pair[0] = other;
	}
	if (!strcmp(how, "fork") && fork()) {
		wait(NULL);
	} else if (!strcmp(how, "exec") && fork()) {
		wait(NULL);
	} else if (!strcmp(how, "exec")) {
		execl(argv[0], argv[0], "work", (char *)NULL);
	} else {
		for (int i = 0; i < 3000000; i++)
			s = leaf(s);
		(void)!write(2, "payload\n", 8);
		if (!strcmp(how, "fork"))
			exit(0);
	}
	close(2);
	fd = pair[0] >= 0 ? pair[0] : open("data.bin", O_RDONLY);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (fd >= 0 && n < 4000) {
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - (size_t)n);

		if (got <= 0)
			break;
		n += got;
	}
	printf("%zd bytes: %s", n, text);
	return 0;
}
END
run() { timeout 20 "$@"; }
ok "the program builds" gcc -O1 -finstrument-functions data.c -o data
for how in file pipe socket fork exec; do
	rm -rf run
	is "$how: the data are the program's" "$(run tau-record --max-size 100K -o run ./data $how 2>said)" "8 bytes: payload"
	ok "the message is printed" grep -q '^tau: the run has reached [0-9]* bytes; recording of process [0-9]* stops' said
	is "and nothing of it is left in the run" "$(ls -A run | grep -c messages)" 0
done
mkdir alone.run
is "without tau-record, too" "$(TAU_RECORD_DIR=$T/alone.run TAU_RECORD_MAX_SIZE=102400 LD_PRELOAD=$B/libtau.so run ./data file 2>said)" "8 bytes: payload"

# What is stderr from the start is written to, of whatever kind it is.
for to in said /dev/full "&-"; do
	rm -rf run
	eval "tau-record --max-size 100K -o run ./data work 2>$to >out"
	is "stderr is $to: the program ends as it does alone" "$?" "$(eval "./data work 2>$to >out"; echo $?)"
done
rm -rf run
tau-record --max-size 100K -o run ./data work 2>said
is "a message comes once" "$(grep -c '^tau: the run has reached' said)" 1
tap_end
