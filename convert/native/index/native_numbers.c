/* native_numbers.c: reads and writes STREAM.cuts, STREAM.rows, STREAM.path and STREAM.waits. */
#include "convert/native/index/native_numbers.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/map.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/file/native_out.h"
#include "convert/native/index/native_index.h"
#include "convert/native/native_run.h"

#define SIZE_MOST (UINT64_C(1) << 26)

/* By enum trace_numbers. */
static const struct number_kind {
	const char *magic, *suffix;
} kinds[] = {{CUTS_MAGIC, CUTS_SUFFIX}, {ROWS_MAGIC, ROWS_SUFFIX},
	     {PATH_MAGIC, PATH_SUFFIX}, {WAITS_MAGIC, WAITS_SUFFIX}};

/* The header for all files of the run as they are now. -1: something is being recorded, or damaged. */
static int expect(struct trace *t, const struct number_kind *kind, struct index_header *out)
{
	uint64_t all = 0xcbf29ce484222325;

	if (!t->stream_n)
		return -1;
	for (uint32_t i = 0; i < t->stream_n; i++) {
		struct index_header h;

		if (native_index_expect(t, i, &h))
			return -1;
		if (!i)
			*out = h;
		all = native_index_hash(all, &h);
	}
	all = hash_bytes(all, &t->comm_n, sizeof(t->comm_n));
	memcpy(out->magic, kind->magic, sizeof(out->magic));
	out->major = NUMBERS_MAJOR;
	out->minor = 0;
	out->names = all;
	return 0;
}

/* The bytes of the numbers, to be freed; NULL: there are none for the trace as it is. */
static unsigned char *bytes_read(struct trace *t, const struct number_kind *kind, int fd,
				 struct index_header *h)
{
	struct index_header want;
	unsigned char *v = NULL;
	struct stat st;

	if (expect(t, kind, &want) || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > SIZE_MOST || native_read_at(fd, h, sizeof(*h), 0) ||
	    memcmp(h->magic, kind->magic, sizeof(h->magic)) || h->major != NUMBERS_MAJOR ||
	    h->crc != native_crc(h, offsetof(struct index_header, crc)) ||
	    !native_index_is_of(h, ((struct native_stream *)t->stream[0].reader)->file) ||
	    h->names != want.names || h->dictionary_size > (uint64_t)st.st_size ||
	    h->entries > h->dictionary_size)
		return NULL;
	v = mem_alloc(h->dictionary_size + 1);
	if (!native_read_at(fd, v, h->dictionary_size, sizeof(*h)) &&
	    native_crc(v, h->dictionary_size) == h->dictionary_crc) {
		trace_count_index(t, sizeof(*h) + h->dictionary_size);
		return v;
	}
	free(v);
	return NULL;
}

int native_numbers_get(struct trace *t, struct trace_index *x)
{
	const struct number_kind *kind = &kinds[x->numbers];
	const struct native_stream *s = t->stream_n ? t->stream[0].reader : NULL;
	char *path = s ? native_path_beside(s->file, kind->suffix) : NULL;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	struct index_header h;
	unsigned char *v;
	struct bytes b;

	free(path);
	if (fd < 0)
		return 0;
	v = bytes_read(t, kind, fd, &h);
	close(fd);
	if (!v)
		return 0;
	b = bytes_of(v, h.dictionary_size);
	x->number = mem_alloc((h.entries + 1) * sizeof(*x->number));
	for (x->number_n = 0; x->number_n < h.entries; x->number_n++)
		x->number[x->number_n] = bytes_zigzag(&b);
	free(v);
	if (!b.bad)
		return 1;
	free(x->number);
	x->number = NULL;
	return 0;
}

int native_numbers_keep(struct trace *t, const struct trace_index *x)
{
	const struct number_kind *kind = &kinds[x->numbers];
	const struct native_stream *s = t->stream_n ? t->stream[0].reader : NULL;
	char *final = s ? native_path_beside(s->file, kind->suffix) : NULL, *path;
	struct buffer v = {0};
	struct index_header h;
	FILE *out = NULL;
	int kept = 0;

	if (!final || expect(t, kind, &h)) {
		free(final);
		return 0;
	}
	for (size_t i = 0; i < x->number_n; i++)
		put_zigzag(&v, x->number[i]);
	h.entries = x->number_n;
	h.dictionary = sizeof(h);
	h.dictionary_size = v.v_n;
	h.dictionary_crc = native_crc(v.v, v.v_n);
	h.crc = native_crc(&h, offsetof(struct index_header, crc));
	path = mem_printf("%s.XXXXXX", final);
	if (v.v_n <= SIZE_MOST)
		out = native_beside_new(s->file, path);
	if (out) {
		kept = fwrite(&h, sizeof(h), 1, out) == 1 && fwrite(v.v, 1, v.v_n, out) == v.v_n;
		kept = fclose(out) == 0 && kept && rename(path, final) == 0;
		if (!kept)
			unlink(path);
	}
	free(v.v);
	free(path);
	free(final);
	return kept;
}
