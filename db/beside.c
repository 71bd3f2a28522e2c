/* beside.c: looks at the journal and the write-ahead log of a database before SQLite does. */
#include "db/beside.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The last bytes of a journal that names a super-journal: the name, its length and check sum, and
 * these (SQLite's file format, 3).
 */
static const unsigned char journal_magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
enum { NAME_MAX_BYTES = 4096 };

/* The name in the last bytes of a journal, for free(); NULL: there is none. */
static char *super_journal(int fd, off_t size)
{
	unsigned char end[16];
	uint32_t n;
	char *name;

	if (size < (off_t)sizeof(end) ||
	    pread(fd, end, sizeof(end), size - (off_t)sizeof(end)) != (ssize_t)sizeof(end) ||
	    memcmp(end + 8, journal_magic, sizeof(journal_magic)) != 0)
		return NULL;
	n = (uint32_t)end[0] << 24 | (uint32_t)end[1] << 16 | (uint32_t)end[2] << 8 | end[3];
	if (!n)
		return NULL;
	if (n > NAME_MAX_BYTES || n > size - (off_t)sizeof(end))
		return mem_string("?");
	name = mem_alloc(n + 1);
	if (pread(fd, name, n, size - (off_t)sizeof(end) - n) != (ssize_t)n)
		memset(name, '?', n);
	return name;
}

static int check_journal(const char *journal, struct error *e)
{
	/* O_NONBLOCK: should it have become a pipe meanwhile. */
	int fd = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = 0;
	struct stat s;
	char *name;

	if (fd < 0)
		return 0; /* SQLite reports why */
	name = fstat(fd, &s) ? NULL : super_journal(fd, s.st_size);
	close(fd);
	if (name)
		code = error_set(e, ERROR_INPUT,
				 "%s: it names %s as its super-journal, which SQLite would delete; "
				 "a TauDB has no such journal, so this one was not made by tau-db",
				 journal, name);
	free(name);
	return code;
}

/* SQLite follows links before it adds the suffix. */
static char *path_beside(const char *file, const char *suffix)
{
	char *real = realpath(file, NULL), *path = mem_printf("%s%s", real ? real : file, suffix);

	free(real);
	return path;
}

int beside_check(const char *file, struct error *e)
{
	static const char *const suffix[] = {"-journal", "-wal", "-shm"};
	struct stat s;
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(suffix) / sizeof(suffix[0]); i++) {
		char *path = path_beside(file, suffix[i]);

		if (!lstat(path, &s)) {
			if (!S_ISREG(s.st_mode))
				code = error_set(e, ERROR_INPUT,
						 "%s: not a regular file, so the database is not "
						 "opened",
						 path);
			else if (i == 0)
				code = check_journal(path, e);
		}
		free(path);
	}
	return code;
}

int beside_has_log(const char *file)
{
	char *path = path_beside(file, "-wal");
	struct stat s;
	int has = !lstat(path, &s) && s.st_size > 0;

	free(path);
	return has;
}
