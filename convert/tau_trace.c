/* tau_trace.c: TAU's own traces, merged or one file a thread: finds the files, lists their streams,
 * reads records. */
#include "tau_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats.h"

#define BLOCK 2048       /* records read at a time */
#define ROOT  UINT32_MAX /* on the stack of a cursor */

/* ---- records ---- */

/* Which of the four layouts the first record has; swap means big endian. 0: none of them. */
static int layout(struct trc_file *f, const unsigned char *p, size_t n)
{
	for (int k = 0; k < 4; k++) {
		struct trc_record r;

		f->size = k & 1 ? 32 : 24;
		f->swap = k >> 1;
		if (n < f->size)
			continue;
		r = trc_record(f, p);
		if (r.event == TAU_EV_INIT && r.parameter == 3)
			return 1;
	}
	return 0;
}

static int file_probe(struct trc_file *f, const char *path)
{
	unsigned char head[32];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1 : read(fd, head, sizeof(head));
	close(fd);
	if (n < 0 || !layout(f, head, (size_t)n))
		return 0;
	f->records = (uint64_t)st.st_size / f->size;
	return 1;
}

/* ---- files ---- */

static int ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The .edf of a .trc: events.N.edf for tautrace.N.C.T.trc, the same name otherwise. */
static char *edf_of(const char *trc)
{
	int folder = (int)(base_name(trc) - trc), node;
	char *path;

	if (sscanf(base_name(trc), "tautrace.%d.", &node) == 1)
		path = mem_printf("%.*sevents.%d.edf", folder, trc, node);
	else
		path = mem_printf("%.*s.edf",
				  (int)(ends_in(trc, ".trc") ? strlen(trc) - 4 : strlen(trc)), trc);
	if (edf_is(path))
		return path;
	free(path);
	path = mem_printf("%.*stau.edf", folder, trc);
	if (edf_is(path))
		return path;
	free(path);
	return NULL;
}

static struct edf *edf_get(struct trace *t, struct trc_run *run, const char *trc)
{
	char *path = edf_of(trc);
	struct edf *d;

	for (size_t i = 0; i < run->edf_n; i++)
		if (path && !strcmp(run->edf[i]->path, path)) {
			free(path);
			return run->edf[i];
		}
	d = mem_alloc(sizeof(*d));
	*array_add(run, edf) = d;
	edf_read(d, t, &run->names, path);
	free(path);
	return d;
}

struct paths {
	char **path;
	size_t path_n, path_cap;
};

static int path_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * The .trc files that a path means: itself; those of an .edf; in a directory a merged trace,
 * otherwise the files of all threads.
 */
static void find(const char *path, struct paths *out)
{
	struct trc_file f;
	struct dirent *entry;
	DIR *d = opendir(path);
	int node, merged = 0;

	while (d && (entry = readdir(d))) {
		char *full = mem_printf("%s/%s", path, entry->d_name);
		int one = !strncmp(entry->d_name, "tautrace.", 9);

		if (!ends_in(full, ".trc") || (merged && one) || !file_probe(&f, full)) {
			free(full);
			continue;
		}
		if (!one && !merged) {
			while (out->path_n)
				free(out->path[--out->path_n]);
			merged = 1;
		}
		*array_add(out, path) = full;
	}
	if (d)
		closedir(d);
	else if (file_probe(&f, path))
		*array_add(out, path) = mem_string(path);
	else if (ends_in(path, ".edf") && edf_is(path)) {
		char *folder = mem_printf("%.*s", (int)(base_name(path) - path), path);
		char *trc = mem_printf("%.*s.trc", (int)strlen(path) - 4, path);

		if (file_probe(&f, trc))
			*array_add(out, path) = mem_string(trc);
		else if (sscanf(base_name(path), "events.%d.edf", &node) == 1)
			find(*folder ? folder : ".", out);
		free(folder);
		free(trc);
	}
	if (out->path_n)
		qsort(out->path, out->path_n, sizeof(*out->path), path_compare);
}

static void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->path_n; i++)
		free(p->path[i]);
	free(p->path);
}

int tau_trace_is(const char *path)
{
	struct paths p = {0};
	size_t n;

	find(path, &p);
	n = p.path_n;
	paths_release(&p);
	return n > 0;
}

/* ---- streams ---- */

static struct trc_stream *stream_get(struct trc_run *run, struct trc_file *f,
				     const struct trc_record *r)
{
	uint64_t key = (uint64_t)r->node << 16 | r->thread;
	uint32_t at = map_get(&f->stream_of, key);
	struct trc_stream *s;

	if (at != MAP_NONE)
		return run->stream[at];
	map_set(&f->stream_of, key, (uint32_t)run->stream_n);
	s = mem_alloc(sizeof(*s));
	s->file = f;
	s->node = r->node;
	s->thread = r->thread;
	*array_add(run, stream) = s;
	return s;
}

static uint32_t process_of(struct trace *t, struct map *known, uint16_t node)
{
	uint32_t at = map_get(known, node);
	struct trace_process *p;

	if (at != MAP_NONE)
		return at;
	map_set(known, node, (uint32_t)t->process_n);
	p = array_add(t, process);
	p->id = node + 1u;
	p->rank = node == UINT16_MAX ? -1 : node;
	p->size = -1;
	return (uint32_t)t->process_n - 1;
}

/* Looks through a file once: who is in it, from when to when. */
static int scan(struct trace *t, struct trc_run *run, struct trc_file *f, struct error *e)
{
	const size_t most = f->records < BLOCK ? (size_t)f->records : BLOCK;
	unsigned char *block = mem_resize(NULL, most, f->size);
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	struct trc_stream *s = NULL;
	uint64_t at = 0;
	ssize_t n = 0;

	while (fd >= 0 && at < f->records &&
	       (n = pread(fd, block, most * f->size, (off_t)(at * f->size))) >=
		       (ssize_t)f->size) {
		for (size_t i = 0; i + f->size <= (size_t)n; i += f->size, at++) {
			struct trc_record r = trc_record(f, block + i);

			if (!s || s->node != r.node || s->thread != r.thread || s->file != f)
				s = stream_get(run, f, &r);
			if (!s->n) {
				s->first = at;
				s->first_us = r.time;
			}
			s->n++;
			s->end = at + 1;
		}
	}
	free(block);
	t->bytes_total += f->records * f->size;
	t->bytes_read += at * f->size;
	if (fd < 0 || n < 0)
		error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
	if (fd >= 0)
		close(fd);
	f->records = at;
	return fd < 0 || n < 0 ? ERROR_SYSTEM : 0;
}

static int file_open(struct trace *t, struct trc_run *run, const char *path, struct error *e)
{
	struct trc_file *f = mem_alloc(sizeof(*f));
	struct stat st;

	*array_add(run, file) = f;
	f->path = mem_string(path);
	if (!file_probe(f, path))
		return error_set(e, ERROR_INPUT, "%s: offset 0: this is no record of TAU's traces",
				 path);
	if (!stat(path, &st) && (uint64_t)st.st_size % f->size)
		trace_note(t, "%s: offset %llu: the last record is cut short and left out", path,
			   (unsigned long long)(f->records * f->size));
	f->edf = edf_get(t, run, path);
	return scan(t, run, f, e);
}

/*
 * Times count from the earliest first record. A stream's first record alone decides: one damaged
 * time further on must not move all the others.
 */
static void add_streams(struct trace *t, struct trc_run *run)
{
	struct map known = {0};

	run->base = UINT64_MAX;
	for (size_t i = 0; i < run->stream_n; i++)
		if (run->stream[i]->first_us < run->base)
			run->base = run->stream[i]->first_us;
	if (run->base < TRC_TIME_LIMIT * 2)
		t->wall = (int64_t)(run->base * 1000);
	for (size_t i = 0; i < run->stream_n; i++) {
		struct trc_stream *s = run->stream[i];
		uint32_t process = process_of(t, &known, s->node);
		struct trace_stream *to = array_add(t, stream);

		to->process = process;
		to->thread = s->thread;
		to->name = mem_printf("%s: node %u thread %u", s->file->path, s->node, s->thread);
		to->records = s->n;
		to->reader = s;
	}
	map_release(&known);
}

/* ---- the whole ---- */

void tau_trace_free(struct trace *t)
{
	struct trc_run *run = t->reader;

	for (size_t i = 0; i < run->file_n; i++) {
		free(run->file[i]->path);
		map_release(&run->file[i]->stream_of);
		free(run->file[i]);
	}
	for (size_t i = 0; i < run->edf_n; i++) {
		edf_release(run->edf[i]);
		free(run->edf[i]);
	}
	for (size_t i = 0; i < run->stream_n; i++)
		free(run->stream[i]);
	names_release(&run->names.region);
	names_release(&run->names.event);
	free(run->file);
	free(run->edf);
	free(run->stream);
	free(run);
}

/* The last time of each stream, read from its last record. */
static void measure(struct trace *t, struct trc_run *run)
{
	for (size_t i = 0; i < t->stream_n; i++) {
		struct trc_stream *s = t->stream[i].reader;
		struct trace_process *p = &t->process[t->stream[i].process];
		unsigned char last[32];
		int fd = open(s->file->path, O_RDONLY | O_CLOEXEC);
		struct trc_record r = {0};

		if (fd >= 0 &&
		    pread(fd, last, s->file->size, (off_t)((s->end - 1) * s->file->size)) ==
			    (ssize_t)s->file->size)
			r = trc_record(s->file, last);
		if (fd >= 0)
			close(fd);
		if (s->first_us - run->base < TRC_TIME_LIMIT)
			t->stream[i].first = (int64_t)((s->first_us - run->base) * 1000);
		t->stream[i].last = t->stream[i].first;
		if (r.time > s->first_us && r.time < run->base + TRC_TIME_LIMIT)
			t->stream[i].last = (int64_t)((r.time - run->base) * 1000);
		if (t->stream[i].last > p->end)
			p->end = t->stream[i].last;
		if (p->end >= t->end)
			t->end = p->end + 1;
	}
}

int tau_trace_open(const char *path, struct trace **out, struct error *e)
{
	struct trace *t = trace_new(path, &tau_trace_ops);
	struct trc_run *run = mem_alloc(sizeof(*run));
	struct paths p = {0};
	int code = 0;

	t->reader = run;
	find(path, &p);
	if (!p.path_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: no .trc file is here whose first record is one of TAU's",
				 path);
	for (size_t i = 0; i < p.path_n && !code; i++)
		code = file_open(t, run, p.path[i], e);
	paths_release(&p);
	if (code) {
		trace_free(t);
		return code;
	}
	run->unknown = (uint32_t)t->region_n;
	*array_add(t, region) = (struct trace_region){mem_string("(undefined region)"),
						      mem_string("TAU_USER"), NULL, 0};
	add_streams(t, run);
	measure(t, run);
	trace_number(t);
	*out = t;
	return 0;
}
