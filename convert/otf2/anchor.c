/* anchor.c: recognizes an OTF2 archive by its contents; built with the library or without. */
#include "convert/otf2/anchor.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/formats.h"
#include "convert/io/regular.h"

/* An anchor begins with a byte of its kind, the byte order, and the name of the format. */
static int is_anchor(const char *path)
{
	char head[6];
	int fd = regular_open(path, NULL), is;

	if (fd < 0)
		return 0;
	is = read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
	     (head[1] == 'B' || head[1] == '#') && !memcmp(head + 2, "OTF2", 4);
	close(fd);
	return is;
}

static int is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Adds the anchors of a directory, and of its directories `down` levels below. Returns their number
 * so far. */
static size_t find_anchors(const char *dir, int down, char **first, size_t n)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return n;
	while ((entry = readdir(d))) {
		size_t length = strlen(entry->d_name);
		char *path = mem_printf("%s/%s", dir, entry->d_name);

		if (entry->d_name[0] == '.') {
			/* This directory, the one above, or something hidden. */
		} else if (length > 5 && !strcmp(entry->d_name + length - 5, ".otf2") &&
			   is_anchor(path)) {
			if (!n++) {
				*first = path;
				path = NULL;
			}
		} else if (down && is_directory(path)) {
			n = find_anchors(path, down - 1, first, n);
		}
		free(path);
	}
	closedir(d);
	return n;
}

char *archive_anchor(const char *path, size_t *n)
{
	char *anchor = NULL;

	*n = 0;
	if (!is_directory(path)) {
		*n = is_anchor(path);
		return *n ? mem_string(path) : NULL;
	}
	for (int down = 0; down < 2 && !*n; down++)
		*n = find_anchors(path, down, &anchor, 0);
	return anchor;
}

int otf2_is(const char *path)
{
	size_t n;

	free(archive_anchor(path, &n));
	return n > 0;
}
