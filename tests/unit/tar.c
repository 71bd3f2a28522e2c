/* tar.c: the files of a tar archive in memory: names, contents, and archives that are cut short. */
#include "convert/io/tar.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define BLOCK 512

struct archive {
	unsigned char p[16 * BLOCK];
	size_t n;
};

static void add(struct archive *a, const char *name, char type, const char *text)
{
	unsigned char *h = a->p + a->n;
	size_t size = strlen(text);

	memset(h, 0, BLOCK);
	strncpy((char *)h, name, 100);
	snprintf((char *)h + 124, 12, "%011o", (unsigned)size);
	h[156] = (unsigned char)type;
	memcpy(h + 257, "ustar", 6);
	memset(h + BLOCK, 0, BLOCK);
	memcpy(h + BLOCK, text, size);
	a->n += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
}

static int is(const struct tar_member *m, const char *text)
{
	return m && m->n == strlen(text) && !memcmp(m->p, text, m->n);
}

int main(void)
{
	static struct archive a;
	struct tar t;
	struct error e = {0};
	int bad = 0;

	add(&a, "folder/", '5', "");
	add(&a, "folder/first.txt", '0', "one");
	add(&a, "empty", '0', "");
	add(&a, "again", '0', "old");
	add(&a, "again", 0, "new");
	memset(a.p + a.n, 0, 2 * BLOCK);
	a.n += 2 * BLOCK;

	ok(!tar_read("a.tar", a.p, a.n, &t, &e) && t.member_n == 4, "4 files, no folder");
	ok(is(tar_get(&t, "first.txt"), "one"), "by the last part of its path");
	ok(is(tar_get(&t, "empty"), ""), "an empty file");
	ok(is(tar_get(&t, "again"), "new"), "the last one of a name");
	ok(!tar_get(&t, "folder") && !tar_get(&t, "missing"), "no other names");
	ok(tar_first(a.p, a.n) == a.p + BLOCK, "the first file is after the folder");
	tar_release(&t);

	/* Each shorter archive gives whole files only, or an error; none outside of the bytes. */
	for (size_t n = 0; n < a.n; n++) {
		unsigned char *copy = malloc(n ? n : 1);

		memcpy(copy, a.p, n);
		e = (struct error){0};
		if (tar_read("a.tar", copy, n, &t, &e))
			bad += strncmp(e.text, "a.tar: offset ", 14) != 0;
		for (size_t i = 0; i < t.member_n; i++)
			bad += t.member[i].p < copy || t.member[i].p + t.member[i].n > copy + n;
		tar_release(&t);
		free(copy);
	}
	ok(!bad, "archives cut at each byte");
	memcpy(a.p + BLOCK + 124, "77777777777", 11);
	ok(tar_read("a.tar", a.p, a.n, &t, &e) == ERROR_INPUT, "a size beyond the archive: %s", e.text);
	tar_release(&t);
	memcpy(a.p + BLOCK + 124, "not a size!", 11);
	e = (struct error){0};
	ok(tar_read("a.tar", a.p, a.n, &t, &e) == ERROR_INPUT, "a size that is no number: %s", e.text);
	tar_release(&t);
	return tap_end();
}
