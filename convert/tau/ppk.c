/*
 * ppk.c: writes TAU's packed profiles; ppk_read.c reads them. One gzip stream of the output of
 * Java's DataOutputStream: big-endian numbers, and texts (UTF): a 16-bit length and that number of
 * bytes of Java's UTF-8.
 *
 *	char 'P' 'P' 'K' (16 bits each), int version, int oldest reader that can read it (1 or 2)
 *	int h, and h bytes, which in version 2 are
 *	   int s, s bytes to skip, int n { UTF name, UTF value } of the trial,
 *	   int threads { int node, context, thread, int n { UTF name, UTF value } }
 *	int metrics { UTF name }
 *	int groups { UTF name }
 *	int functions { UTF name, int k { int group } }
 *	int events { UTF name }
 *	int threads { int node, context, thread,
 *	   int n { int function, double calls, subrs, metrics x { double exclusive, inclusive } },
 *	   int n { int event, int samples, double min, max, mean, sum of squares } }
 */
#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "analyze/base/mem_stream.h"
#include "convert/io/bytes.h"
#include "convert/tau/tau_numbered.h"
#include "convert/profile_format.h"
#include "convert/io/utf8.h"

#define PPK_VERSION 2

static void put_int(FILE *f, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		putc((int)(v >> shift & 0xff), f);
}

static void put_double(FILE *f, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put_int(f, (uint32_t)(bits >> 32));
	put_int(f, (uint32_t)bits);
}

/* A text as Java has it, cut at the last character that fits. */
static void put_text(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);
	char *out = mem_resize(NULL, 3 * (size_t)(end - p) + 8, 1);
	size_t n = 0;

	while (p < end) {
		uint32_t c = utf8_next(&p, end);
		size_t size = c < 0x10000 ? 3 : 6;

		if (n + size > UINT16_MAX)
			break;
		if (c >= 0x10000) {
			n += utf8_put(out + n, 0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + (c & 0x3ff);
		}
		n += utf8_put(out + n, c);
	}
	putc((int)(n >> 8), f);
	putc((int)(n & 0xff), f);
	fwrite(out, 1, n, f);
	free(out);
}

static void put_meta(FILE *f, const struct profile_attribute *meta, size_t n)
{
	put_int(f, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		put_text(f, meta[i].name);
		put_text(f, meta[i].value);
	}
}

static void put_header(FILE *to, const struct tau_numbered *f)
{
	char *text;
	size_t n;
	FILE *header = mem_stream(&text, &n);

	put_int(header, 0);
	put_meta(header, f->meta, f->meta_n);
	put_int(header, (uint32_t)f->thread_n);
	for (size_t i = 0; i < f->thread_n; i++) {
		const struct numbered_thread *t = &f->thread[i];

		put_int(header, (uint32_t)t->node);
		put_int(header, (uint32_t)t->context);
		put_int(header, (uint32_t)t->thread);
		put_meta(header, t->meta, t->meta_n);
	}
	fclose(header);
	fwrite("\0P\0P\0K", 1, 6, to);
	put_int(to, PPK_VERSION);
	put_int(to, 1);
	put_int(to, (uint32_t)n);
	fwrite(text, 1, n, to);
	free(text);
}

static void put_names(FILE *to, const struct names *n)
{
	put_int(to, (uint32_t)n->name_n);
	for (size_t i = 0; i < n->name_n; i++)
		put_text(to, n->name[i]);
}

/* Numbers the groups in `known`, and puts the numbers where `to` is not NULL. Returns how many
 * there are. */
static uint32_t split_groups(const char *groups, struct names *known, FILE *to)
{
	uint32_t count = 0;

	for (const char *s = groups; *s;) {
		size_t n = strcspn(s, "|");

		if (n) {
			uint32_t id = names_add(known, s, n);

			count++;
			if (to)
				put_int(to, id);
		}
		s += n + (s[n] == '|');
	}
	return count;
}

static void put_functions(FILE *to, const struct tau_numbered *f)
{
	struct names group = {0};

	for (size_t i = 0; i < f->function_n; i++)
		split_groups(f->function[i].groups, &group, NULL);
	put_names(to, &group);
	put_int(to, (uint32_t)f->function_n);
	for (size_t i = 0; i < f->function_n; i++) {
		char *name = numbered_function_name(f, i);

		put_text(to, name);
		free(name);
		put_int(to, split_groups(f->function[i].groups, &group, NULL));
		split_groups(f->function[i].groups, &group, to);
	}
	names_release(&group);
}

static void put_thread(FILE *to, const struct numbered_thread *t, size_t metrics)
{
	put_int(to, (uint32_t)t->node);
	put_int(to, (uint32_t)t->context);
	put_int(to, (uint32_t)t->thread);
	put_int(to, (uint32_t)t->row_n);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct numbered_row *r = &t->row[i];

		put_int(to, r->function);
		put_double(to, r->calls);
		put_double(to, r->subrs);
		for (size_t m = 0; m < 2 * metrics; m++)
			put_double(to, t->value[r->first + m]);
	}
	put_int(to, (uint32_t)t->sample_n);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct numbered_sample *s = &t->sample[i];

		put_int(to, s->event);
		put_int(to, s->n < INT32_MAX ? (uint32_t)(int32_t)s->n : INT32_MAX);
		put_double(to, s->min);
		put_double(to, s->max);
		put_double(to, s->mean);
		put_double(to, s->sumsq);
	}
}

/* ---- gzip ---- */

struct packing {
	z_stream z;
	FILE *to;
};

static void pack(struct packing *k, int flush)
{
	unsigned char out[65536];

	do {
		k->z.next_out = out;
		k->z.avail_out = sizeof(out);
		deflate(&k->z, flush);
		fwrite(out, 1, sizeof(out) - k->z.avail_out, k->to);
	} while (!k->z.avail_out);
}

static ssize_t pack_some(void *to, const char *from, size_t n)
{
	struct packing *k = to;

	for (size_t at = 0, part; at < n; at += part) {
		part = n - at > INT_MAX ? INT_MAX : n - at;
		k->z.next_in = (unsigned char *)from + at;
		k->z.avail_in = (uInt)part;
		pack(k, Z_NO_FLUSH);
	}
	return (ssize_t)n;
}

static int pack_end(void *to)
{
	struct packing *k = to;

	pack(k, Z_FINISH);
	deflateEnd(&k->z);
	free(k);
	return 0;
}

/*
 * Everything that is printed goes to `to` in one stream, as it comes; without a time in its header,
 * so that the same profile gives the same bytes.
 */
static FILE *packed(FILE *to)
{
	static const cookie_io_functions_t calls = {.write = pack_some, .close = pack_end};
	struct packing *k = mem_alloc(sizeof(*k));
	FILE *f;

	k->to = to;
	f = deflateInit2(&k->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			 Z_DEFAULT_STRATEGY) == Z_OK
		    ? fopencookie(k, "w", calls)
		    : NULL;
	if (!f)
		mem_resize(NULL, SIZE_MAX, 2); /* the one way out when there is no memory */
	return f;
}

void ppk_print(FILE *to, struct profile *p, size_t nth, size_t n)
{
	struct tau_numbered f = {0};
	FILE *m = packed(to);

	(void)nth;
	(void)n;
	numbered_copy(&f, p);
	numbered_window_meta(&f, p);
	put_header(m, &f);
	put_names(m, &f.metric);
	put_functions(m, &f);
	put_int(m, (uint32_t)f.event.name_n);
	for (uint32_t i = 0; i < f.event.name_n; i++)
		put_text(m, numbered_event_name(&f, i));
	put_int(m, (uint32_t)f.thread_n);
	for (size_t i = 0; i < f.thread_n; i++)
		put_thread(m, &f.thread[i], f.metric.name_n);
	fclose(m);
	numbered_release(&f);
}
