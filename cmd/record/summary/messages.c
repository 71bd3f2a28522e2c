/* messages.c: what recorded processes could not print on stderr, because the descriptor was another file by then. */
#include "cmd/record/summary/messages.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/metadata.h"

#define MOST 65536 /* bytes that are printed */

void messages_begin(void)
{
	struct stat st = {0};
	char text[80];

	if (fstat(STDERR_FILENO, &st) < 0)
		st = (struct stat){0};
	snprintf(text, sizeof(text), "%llx:%llx:%llx:%x", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino, (unsigned long long)st.st_rdev,
		 (unsigned)(st.st_mode & S_IFMT));
	setenv("TAU_RECORD_STDERR", text, 1);
}

/* In a run that others may write to, the file may be theirs: no link, no device, no control characters. */
void messages_print(const char *directory)
{
	char path[4096], text[4096];
	size_t all = 0;
	struct stat st;
	ssize_t n;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" TAU_MESSAGES, directory) >= (int)sizeof(path))
		return;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		while (all < MOST && (n = read(fd, text, sizeof(text))) > 0) {
			for (ssize_t i = 0; i < n; i++) {
				unsigned char c = (unsigned char)text[i];

				fputc(c != '\n' && (c < ' ' || c == 127) ? '?' : c, stderr);
			}
			all += (size_t)n;
		}
	close(fd);
	if (all >= MOST)
		fprintf(stderr, "\ntau-record: %s: more lines\n", path);
	else
		unlink(path);
}
