/* tau_trace.c: TAU's own traces, merged or one file a thread: finds the files, lists their streams,
 * reads records. */
#include "convert/io/paths.h"
#include "convert/io/input.h"
#include "convert/io/listing.h"
#include "convert/io/regular.h"
#include "convert/tau/tau_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/formats.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_profile.h"

#define BLOCK 2048       /* records read at a time */

/* ---- files ---- */

static int ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* The one .edf in a folder that is of no single node; NULL: there is none, or there are several. */
static char *edf_alone(const char *folder)
{
	struct listing l = {0};
	char *found = NULL;
	int n = 0;

	if (listing_read(*folder ? folder : ".", &l))
		return NULL;
	for (size_t i = 0; i < l.entry_n; i++) {
		const char *name = l.entry[i].name;
		char *path;

		if (!ends_in(name, ".edf") || !strncmp(name, "events.", 7))
			continue;
		path = mem_printf("%s%s", folder, name);
		if (edf_is(path)) {
			n++;
			free(found);
			found = path;
		} else {
			free(path);
		}
	}
	listing_release(&l);
	if (n == 1)
		return found;
	free(found);
	return NULL;
}

/*
 * The .edf of a .trc: events.N.edf for tautrace.N.C.T.trc; for others the same name, tau.edf, or the
 * only one there is.
 */
static char *edf_of(const char *trc)
{
	int folder = (int)(path_file(trc) - trc), node;
	char *path, *alone;

	if (sscanf(path_file(trc), "tautrace.%d.", &node) == 1)
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
	path = mem_printf("%.*s", folder, trc);
	alone = edf_alone(path);
	free(path);
	return alone;
}

/* Is it a TAU trace? Then f has its layout and its number of records. */
static int file_probe(struct trc_file *f, const char *path)
{
	char *edf = edf_of(path);
	int is = trc_probe(f, path, edf, edf || !ends_in(path, ".trc"));

	free(edf);
	return is;
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
	d->trace = mem_string(trc);
	edf_read(d, t, &run->names, path);
	free(path);
	return d;
}

/*
 * The .trc files that a path means: itself; those of an .edf; in a directory a merged trace,
 * otherwise the files of all threads.
 */
static void find_in(struct input *in, struct paths *out)
{
	const struct listing *l = input_names(in);
	struct trc_file f;
	int merged = 0;

	for (size_t i = 0; l && i < l->entry_n; i++) {
		const char *name = l->entry[i].name;
		char *full = mem_printf("%s/%s", in->path, name);
		int one = !strncmp(name, "tautrace.", 9);

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
}

static void find_beside(const char *folder, struct paths *out)
{
	struct input *in = input_new(folder);

	find_in(in, out);
	input_free(in);
}

static int input_probe(struct input *in)
{
	char *edf = edf_of(in->path);
	struct trc_file f;
	struct stat st;
	size_t n;
	const unsigned char *head = input_head(in, &n);
	int is = head && !stat(in->path, &st) &&
		 trc_probe_head(&f, head, n, (uint64_t)st.st_size, edf,
				edf || !ends_in(in->path, ".trc"));

	free(edf);
	return is;
}

static void find(struct input *in, struct paths *out)
{
	const char *path = in->path;
	struct trc_file f;
	int node;

	if (in->is_directory)
		find_in(in, out);
	else if (input_probe(in))
		*array_add(out, path) = mem_string(path);
	else if (ends_in(path, ".edf") && edf_is(path)) {
		char *folder = mem_printf("%.*s", (int)(path_file(path) - path), path);
		char *trc = mem_printf("%.*s.trc", (int)strlen(path) - 4, path);

		if (file_probe(&f, trc))
			*array_add(out, path) = mem_string(trc);
		else if (sscanf(path_file(path), "events.%d.edf", &node) == 1)
			find_beside(*folder ? folder : ".", out);
		free(folder);
		free(trc);
	}
	paths_sort(out);
}

/* Has one of the files an .edf, and so names for its regions? */
static int any_named(const struct paths *p)
{
	char *edf = NULL;

	for (size_t i = 0; i < p->path_n && !edf; i++)
		edf = edf_of(p->path[i]);
	free(edf);
	return edf != NULL;
}

/* Profiles in a folder have names; traces beside them that have none can be read by naming a file. */
int tau_trace_is(struct input *in)
{
	struct paths p = {0};
	int is;

	find(in, &p);
	is = p.path_n > 0;
	if (is && in->is_directory && !any_named(&p))
		is = !tau_profile_is(in) && !snapshot_folder_is(in);
	paths_release(&p);
	return is;
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
	int fd = regular_open(f->path, NULL);
	struct trc_stream *s = NULL;
	uint64_t at = 0;
	ssize_t n = 0;
	int64_t meta;

	while (fd >= 0 && at < f->records &&
	       (n = pread(fd, block, most * f->size, (off_t)(at * f->size))) >=
		       (ssize_t)f->size) {
		for (size_t i = 0; i + f->size <= (size_t)n; i += f->size, at++) {
			struct trc_record r = trc_record(f, block + i);

			if (!s || s->node != r.node || s->thread != r.thread || s->file != f)
				s = stream_get(run, f, &r);
			meta = edf_count(f->edf, r.event, r.parameter);
			if (meta < 0)
				s->last_us = r.time;
			else
				*array_add(run, meta) = (struct trc_meta){
					f->edf, s, (uint32_t)meta, r.parameter != 0, r.time};
			if (!s->n) {
				s->first = at;
				s->first_us = r.time;
			}
			s->n++;
			s->end = at + 1;
			trc_runs_add(&s->runs, at);
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
		return error_set(e, ERROR_INPUT, "%s: offset 0: this is not a TAU trace record",
				 path);
	if (!stat(path, &st) && (uint64_t)st.st_size % f->size)
		trace_note(t, (struct note){.kind = NOTE_DAMAGE},
			   "%s: offset %llu: the last record is cut short and not included", path,
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

/* ---- metadata ---- */

/* Adds it to its process. A name that another thread has with another value gets the number of the thread. */
static void meta_add(struct trace *t, const struct trc_run *run, const struct trc_meta *m)
{
	const char *text = run->names.meta.name[m->edf->entry[m->entry].ref],
		   *value = strstr(text, EDF_META_SIGN);
	struct trace_process *p = t->process;
	char *name = mem_printf("%.*s", (int)(value - text), text);
	const char *known;

	while (p->id != m->stream->node + 1u)
		p++;
	value += strlen(EDF_META_SIGN);
	known = trace_process_meta(p, name);
	if (known && strcmp(known, value) != 0) {
		char *own = mem_printf("%s (thread %u)", name, m->stream->thread);

		free(name);
		name = own;
		known = trace_process_meta(p, name);
	}
	if (!known)
		*array_add(p, meta) = (struct trace_attribute){mem_string(name), mem_string(value)};
	free(name);
}

static int meta_order(const void *va, const void *vb)
{
	const struct trc_meta *a = va, *b = vb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* What a thread has several times counts something. */
static void meta_repeats(const struct trc_run *run)
{
	struct trc_meta *v = mem_copy(run->meta, run->meta_n, sizeof(*v));
	size_t set = 0;

	if (run->meta_n)
		qsort(v, run->meta_n, sizeof(*v), meta_order);
	for (size_t i = 0; i < run->meta_n; i++) {
		set = i && !meta_order(&v[i - 1], &v[i]) ? set + v[i].set : v[i].set;
		v[i].edf->entry[v[i].entry].counts |= set > 1;
	}
	free(v);
}

/* Metadata of the run; a record that only looked like metadata belongs to its stream. */
static void settle_meta(struct trace *t, struct trc_run *run)
{
	meta_repeats(run);
	for (size_t i = 0; i < run->edf_n; i++)
		edf_settle_meta(run->edf[i], t, &run->names);
	for (size_t i = 0; i < run->meta_n; i++) {
		const struct trc_meta *m = &run->meta[i];

		if (m->edf->entry[m->entry].kind != EDF_META && m->us > m->stream->last_us)
			m->stream->last_us = m->us;
		else if (m->edf->entry[m->entry].kind == EDF_META && m->set)
			meta_add(t, run, m);
	}
	free(run->meta);
	run->meta = NULL;
	run->meta_n = run->meta_cap = 0;
}

/* ---- the whole ---- */

static void measure(struct trace *t, struct trc_run *run)
{
	for (size_t i = 0; i < t->stream_n; i++) {
		struct trc_stream *s = t->stream[i].reader;
		struct trace_process *p = &t->process[t->stream[i].process];
		uint64_t last = s->last_us;

		if (s->first_us - run->base < TRC_TIME_LIMIT)
			t->stream[i].first = (int64_t)((s->first_us - run->base) * 1000);
		t->stream[i].last = t->stream[i].first;
		if (last > s->first_us && last < run->base + TRC_TIME_LIMIT)
			t->stream[i].last = (int64_t)((last - run->base) * 1000);
		if (t->stream[i].last > p->end)
			p->end = t->stream[i].last;
		if (p->end >= t->end)
			t->end = p->end + 1;
	}
}

/* A definition alone counts nothing. */
static void events_unused(struct trace *t, const struct trc_run *run)
{
	for (size_t i = 0; i < t->event_n; i++)
		t->event[i].flags |= EVENT_FLAG_UNUSED;
	for (size_t i = 0; i < run->edf_n; i++)
		for (size_t k = 0; k < run->edf[i]->entry_n; k++) {
			const struct edf_entry *x = &run->edf[i]->entry[k];

			if (x->used && (x->kind == EDF_VALUE || x->kind == EDF_GROWS))
				t->event[x->ref].flags &= ~(uint32_t)EVENT_FLAG_UNUSED;
		}
}

int tau_trace_open(struct input *in, struct symbols_kept *kept, struct trace **out,
		   struct error *e)
{
	const char *path = in->path;
	struct trace *t = trace_new(path, &tau_trace_ops);
	struct trc_run *run = mem_alloc(sizeof(*run));
	struct paths p = {0};
	int code = 0;

	(void)kept;
	t->reader = run;
	find(in, &p);
	if (!p.path_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: no .trc file here begins with a record of a TAU trace",
				 path);
	for (size_t i = 0; i < p.path_n && !code; i++)
		code = file_open(t, run, p.path[i], e);
	paths_release(&p);
	if (code) {
		trace_free(t);
		return code;
	}
	for (size_t i = 0; i < run->edf_n; i++)
		edf_guess(run->edf[i], t, &run->names);
	edf_note(run->edf, run->edf_n, t);
	run->unknown = (uint32_t)t->region_n;
	*array_add(t, region) = (struct trace_region){mem_string("(undefined region)"),
						      mem_string("TAU_USER"), NULL, 0};
	add_streams(t, run);
	settle_meta(t, run);
	measure(t, run);
	events_unused(t, run);
	trace_number(t);
	*out = t;
	return 0;
}
