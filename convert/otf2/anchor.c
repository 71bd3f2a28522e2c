/* anchor.c: recognizes an OTF2 archive by its contents; built with the library or without. */
#include "convert/otf2/anchor.h"

#include <string.h>

#include "convert/formats.h"
#include "convert/io/blob.h"
#include "convert/io/bytes.h"
#include "convert/io/listing.h"
#include "convert/io/paths.h"

/* An anchor begins with a byte of its kind, the byte order, and the name of the format. */
static int is_anchor(struct input *in)
{
	size_t n;
	const unsigned char *head = input_head(in, &n);

	return n >= 6 && (head[1] == 'B' || head[1] == '#') && !memcmp(head + 2, "OTF2", 4);
}

/* Adds the anchors of a directory, and of its directories `down` levels below. Returns their number
 * so far. */
static size_t find_anchors(struct input *in, int down, char **first, size_t n)
{
	const struct listing *l = input_names(in);

	for (size_t i = 0; l && i < l->entry_n; i++) {
		const struct listing_entry *x = &l->entry[i];
		char *path = mem_printf("%s/%s", in->path, x->name);

		if (x->name[0] == '.') {
			/* hidden */
		} else if (path_ends_in(x->name, ".otf2") && is_anchor(input_below(in, x->name))) {
			if (!n++) {
				*first = path;
				path = NULL;
			}
		} else if (down && listing_is_directory(in->path, x)) {
			n = find_anchors(input_below(in, x->name), down - 1, first, n);
		}
		free(path);
	}
	return n;
}

char *archive_anchor(struct input *in, size_t *n)
{
	char *anchor = NULL;

	*n = 0;
	if (!in->is_directory) {
		*n = is_anchor(in);
		return *n ? mem_string(in->path) : NULL;
	}
	for (int down = 0; down < 2 && !*n; down++)
		*n = find_anchors(in, down, &anchor, 0);
	return anchor;
}

static uint64_t number(struct bytes *b, size_t n, int big)
{
	struct bytes part = bytes_part(b, n);
	uint64_t v = 0;

	for (size_t i = 0; i < bytes_left(&part); i++)
		v |= (uint64_t)part.p[i] << 8 * (big ? n - 1 - i : i);
	return v;
}

static void skip_text(struct bytes *b)
{
	const void *end = memchr(b->p, 0, bytes_left(b));

	bytes_part(b, end ? (uint64_t)((const unsigned char *)end - b->p) + 1 : UINT64_MAX);
}

/* Reads up to the number of properties and returns it; 0 before version 2 of the anchor. */
static uint64_t property_count(struct bytes *b)
{
	uint64_t version;
	int big;

	bytes_part(b, 1); /* kind */
	big = number(b, 1, 1) == '#';
	skip_text(b); /* "OTF2" */
	version = number(b, 1, big);
	bytes_part(b, 1 + 3);	      /* version of the format */
	bytes_part(b, 8 + 8 + 1 + 1); /* chunk sizes, substrate, compression */
	bytes_part(b, 8 + 8);	      /* locations, global definitions */
	for (int i = 0; i < 3; i++)   /* machine, creator, description */
		skip_text(b);
	return version > 1 ? number(b, 4, big) : 0;
}

int archive_anchor_check(const char *anchor, struct error *e)
{
	struct blob file;
	struct bytes b;
	uint64_t properties;
	int code = blob_read(anchor, &file, e);

	if (code)
		return code;
	b = bytes_of(file.p, file.n);
	properties = property_count(&b);
	blob_release(&file);
	/* Each has a name and a value, which are texts with a zero byte at their ends. */
	if (b.bad || properties <= bytes_left(&b) / 2)
		return 0;
	return error_set(e, ERROR_INPUT,
			 "%s: this OTF2 anchor is damaged: it announces %llu properties, and has "
			 "%zu bytes for them",
			 anchor, (unsigned long long)properties, bytes_left(&b));
}

int otf2_is(struct input *in)
{
	size_t n;

	free(archive_anchor(in, &n));
	return n > 0;
}
