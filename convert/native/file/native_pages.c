/*
 * native_pages.c: reads lists of very many chunks page by page, when they are needed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/file/native_pages.h"

#define ENTRY sizeof(struct tau_index_entry)

struct native_pages {
	unsigned char *have; /* by page: has been read */
	uint32_t *crc;       /* by page */
	uint32_t *defined;   /* chunks with definitions, ascending */
	size_t defined_n;
};

/*
 * A page is read with the first entry of the next, which gives the begin of the chunk after its
 * last.
 */
static size_t page_entries(size_t chunks, size_t page)
{
	size_t left = chunks - page * NATIVE_PAGE;

	return left < NATIVE_PAGE + 1 ? left : NATIVE_PAGE + 1;
}

static size_t pages_of(size_t chunks)
{
	return (chunks + NATIVE_PAGE - 1) / NATIVE_PAGE;
}

/* ---- opening ---- */

/* The list of FILE.index, if it belongs to this file as it is now. */
static unsigned char *list_read(const struct native_file *f, int fd, size_t *n)
{
	struct index_header h;
	struct stat st;
	unsigned char *p;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || native_read_at(fd, &h, sizeof(h), 0) ||
	    memcmp(h.magic, INDEX_MAGIC, sizeof(h.magic)) || h.major != INDEX_MAJOR ||
	    h.crc != native_crc(&h, offsetof(struct index_header, crc)) ||
	    !native_index_is_of(&h, f) || h.list_size < sizeof(struct native_list_head) ||
	    h.list > (uint64_t)st.st_size || h.list_size > (uint64_t)st.st_size - h.list)
		return NULL;
	*n = h.list_size;
	p = mem_resize(NULL, *n, 1);
	if (!native_read_at(fd, p, *n, h.list) && native_crc(p, *n) == h.list_crc)
		return p;
	free(p);
	return NULL;
}

/* Are the numbers ascending, and are there chunks with these numbers? */
static int defined_fit(const unsigned char *p, const struct native_list_head *h)
{
	uint32_t number, last = 0;

	for (uint32_t i = 0; i < h->defined_n; i++) {
		memcpy(&number, p + i * sizeof(number), sizeof(number));
		if (number >= h->chunks || (i && number <= last))
			return 0;
		last = number;
	}
	return 1;
}

static int list_parse(struct native_file *f, const struct tau_trailer *t, uint32_t payload_crc,
		     const unsigned char *p, size_t n)
{
	struct native_list_head h;
	struct native_pages *x;
	size_t numbers;

	memcpy(&h, p, sizeof(h));
	numbers = (n - sizeof(h)) / sizeof(uint32_t);
	if (h.payload_crc != payload_crc || !h.chunks || h.chunks != t->chunks ||
	    h.records != t->records || h.page_n != pages_of(h.chunks) || h.page_n > numbers ||
	    h.defined_n != numbers - h.page_n || n != sizeof(h) + numbers * sizeof(uint32_t) ||
	    !defined_fit(p + sizeof(h), &h))
		return 0;
	x = f->pages = mem_alloc(sizeof(*x));
	x->have = mem_alloc(h.page_n);
	x->defined_n = h.defined_n;
	x->defined = mem_copy(p + sizeof(h), h.defined_n, sizeof(*x->defined));
	x->crc = mem_copy(p + sizeof(h) + h.defined_n * sizeof(uint32_t), h.page_n,
			  sizeof(*x->crc));
	/* Memory of pages that are never read is never touched. */
	f->chunk = mem_alloc(h.chunks * sizeof(*f->chunk));
	f->chunk_n = f->chunk_cap = h.chunks;
	f->index_offset = t->index_offset;
	f->index_read += sizeof(struct index_header) + n;
	return 1;
}

int native_list_open(struct native_file *f, const struct tau_trailer *t, uint32_t payload_crc)
{
	char *path = native_index_path(f);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1, taken = 0;
	unsigned char *p = NULL;
	size_t n;

	if (fd >= 0 && !f->live_path)
		p = list_read(f, fd, &n);
	if (p)
		taken = list_parse(f, t, payload_crc, p, n);
	if (fd >= 0)
		close(fd);
	free(p);
	free(path);
	return taken;
}

static void pages_free(struct native_pages *x)
{
	if (!x)
		return;
	free(x->have);
	free(x->crc);
	free(x->defined);
	free(x);
}

void native_list_close(struct native_file *f)
{
	pages_free(f->pages);
	f->pages = NULL;
	free(f->chunk);
	f->chunk = NULL;
	f->chunk_n = f->chunk_cap = 0;
}

/* ---- pages ---- */

/*
 * A page is not what it was: the chunks are found by their headers instead. What cannot be found that way
 * stays in the list as a chunk that cannot be read.
 */
static void list_walk(struct native_file *f)
{
	struct native_file walked = *f;
	size_t known;

	pages_free(f->pages);
	f->pages = walked.pages = NULL;
	walked.chunk = NULL;
	walked.chunk_n = walked.chunk_cap = 0;
	walked.damage = NULL;
	if (!native_file_wake(&walked))
		native_chunks_walk(&walked);
	f->fd = walked.fd;
	f->bytes_read = walked.bytes_read;
	known = walked.chunk_n < f->chunk_n ? walked.chunk_n : f->chunk_n;
	if (known)
		memcpy(f->chunk, walked.chunk, known * sizeof(*f->chunk));
	for (size_t k = known; k < f->chunk_n; k++)
		f->chunk[k] = (struct native_chunk){
			.first_tick = known ? f->chunk[known - 1].last_tick : 0,
			.last_tick = known ? f->chunk[known - 1].last_tick : 0};
	free(walked.chunk);
	free(walked.damage);
}

void native_page_load(struct native_file *f, size_t k)
{
	struct tau_index_entry entry[NATIVE_PAGE + 1];
	size_t page = k / NATIVE_PAGE, first = page * NATIVE_PAGE,
	       n = page_entries(f->chunk_n, page);

	if (f->pages->have[page])
		return;
	if (native_file_wake(f) ||
	    native_read_at(f->fd, entry, n * ENTRY,
			   f->index_offset + sizeof(struct tau_chunk_header) + first * ENTRY) ||
	    native_crc(entry, n * ENTRY) != f->pages->crc[page]) {
		list_walk(f);
		return;
	}
	f->bytes_read += n * ENTRY;
	for (size_t i = 0; i < n && i < NATIVE_PAGE; i++)
		f->chunk[first + i] = (struct native_chunk){
			.offset = entry[i].offset,
			.first_tick = entry[i].first_tick,
			.last_tick = entry[i].last_tick,
			.stored = (i + 1 < n ? entry[i + 1].offset : f->index_offset) -
				  entry[i].offset,
			.records = entry[i].records,
			.defs_stored = entry[i].defs_stored};
	f->pages->have[page] = 1;
}

size_t native_file_defined(struct native_file *f, size_t k)
{
	const struct native_pages *x = f->pages;
	size_t low = 0, high = x ? x->defined_n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (x->defined[middle] < k)
			low = middle + 1;
		else
			high = middle;
	}
	if (x)
		return low < x->defined_n && x->defined[low] < f->chunk_n ? x->defined[low]
									  : f->chunk_n;
	while (k < f->chunk_n && !f->chunk[k].defs_stored)
		k++;
	return k;
}

/* ---- making ---- */

unsigned char *native_list_make(struct native_file *f, size_t *n)
{
	struct tau_chunk_header h;
	struct tau_index_entry entry[NATIVE_PAGE + 1];
	struct native_list_head head = {.chunks = (uint32_t)f->chunk_n,
					.page_n = (uint32_t)pages_of(f->chunk_n),
					.records = f->records};
	uint32_t *number;
	unsigned char *out;

	if (!f->indexed || !f->ordered || f->live_path || f->damage || native_file_wake(f) ||
	    native_read_at(f->fd, &h, sizeof(h), f->index_offset))
		return NULL;
	head.payload_crc = h.payload_crc;
	for (size_t k = 0; k < f->chunk_n; k++)
		head.defined_n += native_file_chunk(f, k)->defs_stored > 0;
	*n = sizeof(head) + ((size_t)head.defined_n + head.page_n) * sizeof(*number);
	out = mem_alloc(*n);
	memcpy(out, &head, sizeof(head));
	number = (uint32_t *)(out + sizeof(head));
	for (size_t k = 0; k < f->chunk_n; k++)
		if (native_file_chunk(f, k)->defs_stored)
			*number++ = (uint32_t)k;
	for (size_t page = 0; page < head.page_n; page++) {
		size_t entries = page_entries(f->chunk_n, page);

		if (native_read_at(f->fd, entry, entries * ENTRY,
				   f->index_offset + sizeof(h) + page * NATIVE_PAGE * ENTRY)) {
			free(out);
			return NULL;
		}
		*number++ = native_crc(entry, entries * ENTRY);
	}
	return out;
}
