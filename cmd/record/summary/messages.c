/* messages.c: what recorded processes could not print on stderr, because the descriptor was another file by then. */
#include "cmd/record/summary/messages.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "cmd/shared/message.h"
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

/* In a run that others may write to, the file may be theirs: no link, no device. */
void messages_print(const char *directory)
{
	char path[4096], *text, *line, *next;
	struct stat st;
	ssize_t n = 0;
	size_t all = 0;
	int fd;

	if (snprintf(path, sizeof(path), "%s/" TAU_MESSAGES, directory) >= (int)sizeof(path))
		return;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	text = mem_alloc(MOST + 1);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		while (all < MOST && (n = read(fd, text + all, MOST - all)) > 0)
			all += (size_t)n;
	close(fd);
	text[all] = 0;
	for (size_t i = 0; i < all; i++)
		if (!text[i])
			text[i] = '?';
	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		text_printf(stderr, "%s\n", line);
	}
	free(text);
	if (all >= MOST)
		message_print("tau-record", "%s: more lines", path);
	else
		unlink(path);
}
