/* otf2_read.c: opens an OTF2 archive and learns how long it is. */
#include <string.h>

#include "formats.h"
#include "otf2.h"
#include "otf2_anchor.h"

/* ---- how long it is ---- */

struct probe {
	uint64_t first, last;	/* as the location's clock shows them, corrected */
	int any;
};

/* Skips one record. 0: there is none, or it is damaged. */
static int skip(struct otf2_bytes *b, unsigned kind)
{
	if (kind == OTF2_END_CHUNK || kind == OTF2_END_FILE)
		return 0;
	if (otf2_is_single(kind))
		otf2_compressed(b, 8);
	else
		otf2_body(b);
	return !b->bad;
}

/* The times of a chunk: its first and its last one. */
static void probe_chunk(const struct otf2_location *l, struct otf2_bytes b, int whole,
			struct probe *p)
{
	while (otf2_left(&b)) {
		unsigned kind = (unsigned)otf2_number(&b, 1);
		uint64_t time;

		if (kind != OTF2_TIME) {
			if (!skip(&b, kind))
				return;
			continue;
		}
		time = otf2_number(&b, 8);
		if (b.bad)
			return;
		if (l->clock_n)
			time = otf2_corrected(l, time);
		if (!p->any || time < p->first)
			p->first = time;
		if (!p->any || time > p->last)
			p->last = time;
		p->any = 1;
		if (!whole)
			return;
	}
}

/* The first time of a location, and the last one: only its last chunk is looked through. */
static void probe_location(struct otf2_run *run, struct otf2_location *l, struct probe *p)
{
	struct otf2_chunks c = {.size = run->archive.event_chunk};
	struct otf2_file f;
	struct otf2_bytes b;

	l->missing = otf2_file_open(&f, &run->archive, &l->id, ".evt") != 0;
	if (l->missing)
		return;
	c.file = &f;
	if (otf2_chunk_next(&c, &b) > 0)
		probe_chunk(l, b, f.size <= c.size, p);
	if (f.size > c.size) {
		c.next = (f.size - 1) / c.size * c.size;
		if (otf2_chunk_next(&c, &b) > 0)
			probe_chunk(l, b, 1, p);
	}
	otf2_chunks_release(&c);
	otf2_file_close(&f);
}

/*
 * The start of the run is what the definitions say, if the first event lies inside of what they
 * say; its end is what they say, or the last event that is later.
 */
static void measure(struct trace *t, struct otf2_run *run)
{
	struct probe all = {0};

	for (size_t i = 0; i < run->location_n; i++)
		probe_location(run, &run->location[i], &all);
	if (run->base > all.first || all.first - run->base > run->length)
		run->base = all.first;
	if (run->length > run->limit)
		run->length = 0;
	/* A clock that is shown far from its own beginning shows nothing. */
	if (run->real && run->base - run->real_at < run->limit)
		t->wall = run->real + otf2_ns(run, run->base - run->real_at);
	t->end = otf2_time(run, run->base + run->length);
	if (all.any && all.last - run->base < run->limit && otf2_time(run, all.last) > t->end)
		t->end = otf2_time(run, all.last);
	t->end++;
	for (size_t i = 0; i < t->stream_n; i++) {
		t->stream[i].last = t->end - 1;
		t->stream[i].records = run->location[i].events;
	}
	for (size_t i = 0; i < t->process_n; i++)
		t->process[i].end = t->end - 1;
}

/* Marks that its user made at times or on stretches are nothing that happened on a thread. */
static void note_marks(struct trace *t, struct otf2_run *run)
{
	struct otf2_file f;

	if (otf2_file_open(&f, &run->archive, NULL, ".marker"))
		return;
	if (f.size > OTF2_CHUNK_HEAD + 2)
		trace_note(t, "%s: marks that were set in it afterwards (%s) are left out",
			   t->path, f.path);
	otf2_file_close(&f);
}

static void note_missing(struct trace *t, struct otf2_run *run)
{
	for (size_t i = 0; i < run->location_n; i++) {
		struct otf2_location *l = &run->location[i];
		struct otf2_file f;

		if (!otf2_file_open(&f, &run->archive, &l->id, ".evt")) {
			t->bytes_total += f.size;
			otf2_file_close(&f);
		} else if (l->events) {
			trace_note(t, "%s: location %llu: its %llu events are missing", t->path,
				   (unsigned long long)l->id, (unsigned long long)l->events);
		}
	}
}

/* ---- opening ---- */

static int open_archive(struct trace *t, struct otf2_run *run, const char *anchor,
			const struct otf2_part *part, size_t n, struct error *e)
{
	int code = otf2_archive_open(&run->archive, anchor, part, n, e);

	if (code)
		return code;
	run->ours = !strncmp(run->archive.creator, OTF2_CREATOR, strlen(OTF2_CREATOR));
	code = otf2_define(t, run, e);
	if (code)
		return code;
	otf2_local(t, run);
	measure(t, run);
	note_missing(t, run);
	note_marks(t, run);
	return 0;
}

static int open_trace(const char *path, const char *anchor, const struct otf2_part *part, size_t n,
		      struct trace **out, struct error *e)
{
	struct trace *t = trace_new(path, &otf2_ops);
	int code;

	t->reader = mem_alloc(sizeof(struct otf2_run));
	pthread_mutex_init(&((struct otf2_run *)t->reader)->code_lock, NULL);
	code = open_archive(t, t->reader, anchor, part, n, e);
	if (code) {
		trace_free(t);
		return code;
	}
	trace_number(t);
	*out = t;
	return 0;
}

int otf2_open_parts(const char *path, const struct otf2_part *part, size_t n, struct trace **out,
		    struct error *e)
{
	return open_trace(path, path, part, n, out, e);
}

int otf2_open(const char *path, struct trace **out, struct error *e)
{
	size_t n;
	char *anchor = otf2_anchor(path, &n);
	int code;

	if (n == 1)
		code = open_trace(path, anchor, NULL, 0, out, e);
	else
		code = error_set(e, ERROR_INPUT,
				 n ? "%s: it holds %zu OTF2 archives; name the .otf2 file of one"
				   : "%s: this is no OTF2 archive (%zu .otf2 files)",
				 path, n);
	free(anchor);
	return code;
}
