/* open.c: opens an OTF2 archive: its definitions, which of its files are there and whole, and how
 * long it is. */
#include <string.h>
#include <sys/stat.h>

#include "analyze/trace/trace.h"
#include "convert/formats.h"
#include "convert/otf2/anchor.h"
#include "convert/otf2/archive.h"
#include "convert/otf2/whole.h"

#define EMPTY_MARKERS 20 /* bytes of a file of marks that holds none */

/* ---- its files ---- */

/* How much of a location's files is there. */
static void look(struct trace *t, struct archive *run, struct archive_location *l)
{
	char *path = archive_path(run, &l->id, ".evt");
	struct whole_file f;

	l->missing = whole_events(path, run->event_chunk, &f) != 0;
	l->whole = f.records;
	l->size = f.size;
	l->cut = f.size && !f.ends;
	t->bytes_total += f.size;
	if (l->missing && l->events)
		trace_note(t, (struct note){.kind = NOTE_DAMAGE},
			   "%s: location %llu: its %llu events are missing", t->path,
			   (unsigned long long)l->id, (unsigned long long)l->events);
	free(path);
}

/* Reads the local definitions of all locations. */
static void read_local(struct trace *t, struct archive *run, OTF2_Reader *r)
{
	size_t without = 0;

	for (size_t i = 0; i < run->location_n; i++) {
		struct archive_location *l = &run->location[i];
		char *path = archive_path(run, &l->id, ".def");
		const char *wrong = NULL;
		struct whole_file f;

		if (whole_definitions(path, run->definition_chunk, &f)) {
			without++;
		} else {
			l->definitions = f.records;
			wrong = l->definitions ? archive_reader_local(r, l, l) : NULL;
			if (!wrong && !f.ends)
				wrong = "it is cut short";
		}
		if (wrong)
			trace_note(t, (struct note){.kind = NOTE_DAMAGE},
				   "%s: %s; the rest of it is not included", path, wrong);
		free(path);
	}
	if (without)
		trace_note(t, (struct note){.kind = NOTE_DEFINITIONS},
			   "%s: %zu location%s no local definitions; their ids are taken as global",
			   t->path, without, without > 1 ? "s have" : " has");
}

/*
 * Notes that markers are not included: users set them at times or spans, so they are no events of a
 * thread.
 */
static void note_marks(struct trace *t, struct archive *run)
{
	char *path = archive_path(run, NULL, ".marker");
	struct stat st;

	if (!stat(path, &st) && st.st_size > EMPTY_MARKERS)
		trace_note(t, (struct note){.kind = NOTE_LEFT_OUT},
			   "%s: markers that were added later (%s) are not included", t->path,
			   path);
	free(path);
}

/* ---- how long it is ---- */

/*
 * The start of the run is from the definitions, if the first event is inside of the span that they
 * give; the end is the last event, because the span of the definitions only has to contain the
 * events: that of EZTrace is up to four times as long. It is the end if there is no event.
 */
static void measure(struct trace *t, struct archive *run, OTF2_Reader *r)
{
	uint64_t first = 0, last = 0, one, other;
	int any = 0;

	for (size_t i = 0; i < run->location_n; i++) {
		if (!archive_times(t, i, r, &one, &other))
			continue;
		first = !any || one < first ? one : first;
		last = !any || other > last ? other : last;
		any = 1;
	}
	if (run->base > first || first - run->base > run->length)
		run->base = first;
	if (run->length > run->limit)
		run->length = 0;
	/* A clock that is shown far from its own beginning shows nothing. */
	if (run->real && run->base - run->real_at < run->limit)
		t->wall = run->real + archive_ns(run, run->base - run->real_at);
	if (any && last - run->base < run->limit)
		run->length = last - run->base;
	t->end = archive_time(run, run->base + run->length) + 1;
	for (size_t i = 0; i < t->stream_n; i++) {
		t->stream[i].last = t->end - 1;
		t->stream[i].records = run->location[i].events;
	}
	for (size_t i = 0; i < t->process_n; i++)
		t->process[i].end = t->end - 1;
}

/* ---- opening ---- */

static int read_archive(struct trace *t, struct archive *run, OTF2_Reader *r, struct error *e)
{
	char *creator = NULL;
	int code;

	OTF2_Reader_GetChunkSize(r, &run->event_chunk, &run->definition_chunk);
	if (!run->event_chunk || !run->definition_chunk)
		return error_set(e, ERROR_INPUT,
				 "%s: this OTF2 anchor is damaged: the size of chunks is 0",
				 run->anchor);
	OTF2_Reader_GetNumberOfLocations(r, &run->locations);
	if (!OTF2_Reader_GetCreator(r, &creator) && creator)
		run->ours = !strncmp(creator, ARCHIVE_CREATOR, strlen(ARCHIVE_CREATOR));
	free(creator);
	code = archive_define(t, run, r, e);
	if (code)
		return code;
	read_local(t, run, r);
	for (size_t i = 0; i < run->location_n; i++)
		look(t, run, &run->location[i]);
	measure(t, run, r);
	note_marks(t, run);
	return 0;
}

static int open_archive(const char *path, const char *anchor, struct trace **out, struct error *e)
{
	int code = archive_anchor_check(anchor, e);
	OTF2_Reader *r = code ? NULL : archive_reader_open(anchor, e);
	struct archive *run;
	struct trace *t;

	if (!r)
		return e->code;
	t = trace_new(path, &archive_ops);
	t->reader = run = mem_alloc(sizeof(*run));
	pthread_mutex_init(&run->code_lock, NULL);
	run->anchor = mem_string(anchor);
	code = read_archive(t, run, r, e);
	OTF2_Reader_Close(r);
	if (code) {
		trace_free(t);
		return code;
	}
	trace_number(t);
	*out = t;
	return 0;
}

int otf2_open(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e)
{
	size_t n;
	char *anchor = archive_anchor(in, &n);
	int code;

	(void)kept;
	if (n == 1)
		code = open_archive(in->path, anchor, out, e);
	else
		code = error_set(e, ERROR_INPUT,
				 n ? "%s: it contains %zu OTF2 archives; name the .otf2 file of one"
				   : "%s: this is not an OTF2 archive (%zu .otf2 files)",
				 in->path, n);
	free(anchor);
	return code;
}
