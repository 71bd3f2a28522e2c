/* follow_chunks.c: writes an OTF2 archive for each span of time of a run that is followed. */
#include "cmd/convert/follow_chunks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "analyze/trace/trace.h"
#include "convert/clip.h"
#include "convert/formats.h"
#include "convert/trace_write.h"
#include "record/metadata.h"
#include "cmd/shared/message.h"

#define SETTLED_NS   3000000000	 /* a record may become visible so long after its time */
#define RANK_WAIT_NS 10000000000 /* for a process of a job to call MPI_Init() */
#define LATE_NS	     10000000	 /* more than what the rate of the clock is corrected by */

/* What has been written of a stream. */
struct stream_place {
	struct follow_place at;
	int64_t begin; /* ns: of the archive that is written now */
};

struct follow_chunks {
	const char *to;
	int64_t every, last;
	int64_t begin; /* ns: of the next archive; INT64_MIN: none was written */
	size_t number; /* of the last one */
	size_t written;
	struct write_options options;
	struct names stream; /* by file */
	struct stream_place *place;
	size_t place_n, place_cap;
	uint64_t records; /* at the last look */
	uint64_t late;	  /* streams whose events became visible too late, each time */
};

int follow_chunks_begin(struct follow_chunks **out, const char *to, int64_t every, int64_t last,
			const struct filter *only, struct error *e)
{
	struct follow_chunks *c;

	if (!strcmp(to, "-"))
		return error_set(e, ERROR_USAGE, "-: OTF2 archives are directories, not one file");
	if (mkdir(to, 0777))
		return error_set(e, ERROR_SYSTEM, "%s: %s", to, strerror(errno));
	c = mem_alloc(sizeof(*c));
	*c = (struct follow_chunks){
		.to = to, .every = every, .last = last, .begin = INT64_MIN, .options.only = only};
	*out = c;
	return 0;
}

static struct stream_place *place_of(struct follow_chunks *c, const char *file)
{
	size_t i = names_add(&c->stream, file, strlen(file));

	while (c->place_n <= i)
		*array_add(c, place) = (struct stream_place){0};
	return &c->place[i];
}

/*
 * Where a stream begins in the next archive: after what the last one has, and with what it does not have. The rate of the clock is
 * known better at each look, so an event near the border may be on its other side now.
 */
static int64_t begin_between(struct follow_chunks *c, int64_t border, int64_t before, int64_t after)
{
	if (after < border) {
		c->late += after < border - LATE_NS;
		return after;
	}
	return before >= border ? before + 1 : border;
}

/* Reads a stream up to `end`. */
static int stream_pass(struct follow_chunks *c, struct trace *t, uint32_t stream, int64_t end,
		       struct error *e)
{
	struct stream_place *place = place_of(c, t->stream[stream].name);
	size_t chunks = place->at.chunks, n = 1;
	struct clip_part part = {.first = chunks ? chunks - 1 : 0, .most = SIZE_MAX, .going = 1,
				 .end = end};
	int64_t before, after = INT64_MAX;
	const struct event *run;
	struct clip_event ev;
	struct clip clip;
	int code;

	place->begin = c->begin;
	if (part.first >= t->stream[stream].chunks)
		return 0;
	code = clip_open_part(&clip, t, stream, part, e);
	if (code >= 0)
		code = follow_pass(&clip, &place->at, e);
	before = chunks ? clip.state.time : INT64_MIN;
	while (code >= 0 && n) {
		n = clip_run(&clip, SIZE_MAX, &run);
		if (!n && (code = clip_next(&clip, &ev, e)) > 0) {
			n = 1;
			run = &ev.event;
		}
		if (n && after == INT64_MAX)
			after = run->time;
		/* After an event, not before the first one of the next chunk, whose state has another time. */
		if (n)
			place->at = (struct follow_place){.chunks = clip.chunks,
							  .at = clip_position(&clip)};
	}
	if (code >= 0 && c->number > 1)
		place->begin = begin_between(c, c->begin, before, after);
	clip_close(&clip);
	return code < 0 ? code : 0;
}

/* Whether a process of another host still runs is unknown: while the job goes on, it is taken to run. */
static void elsewhere_extend(struct trace *t, int64_t end)
{
	for (size_t i = 0; i < t->process_n; i++) {
		struct trace_process *p = &t->process[i];

		if (p->elsewhere && p->ended == TRACE_END_UNKNOWN && p->end < end)
			p->end = end;
	}
}

/* One archive. A span in which nothing happens has none. */
static int chunk_write(struct follow_chunks *c, struct trace *t, int64_t end, struct error *e)
{
	struct window_span *span = mem_alloc((t->process_n + 1) * sizeof(*span));
	int64_t *begin = mem_alloc((t->stream_n + 1) * sizeof(*begin));
	uint64_t paths = c->options.loss[LOSS_PATH];
	char *name = mem_printf("%s/chunk.%04zu", c->to, ++c->number);
	int code = 0;

	for (size_t i = 0; i < t->process_n; i++)
		span[i] = (struct window_span){c->begin, end};
	for (uint32_t s = 0; s < t->stream_n && !code; s++) {
		code = stream_pass(c, t, s, end, e);
		begin[s] = place_of(c, t->stream[s].name)->begin;
	}
	c->options.span = span;
	c->options.begin = begin;
	c->options.streams = 0;
	if (!code) {
		code = write_format_of("otf2")->write(t, name, &c->options, e);
		if (!code) {
			c->written++;
			c->options.loss[LOSS_PATH] -= paths;
		} else if (e->code == ERROR_INPUT && !c->options.streams) {
			*e = (struct error){0};
			code = 0;
		}
	}
	c->options.span = NULL;
	c->options.begin = NULL;
	c->begin = end;
	free(span);
	free(begin);
	free(name);
	return code;
}

/* Does a process wait for its rank? */
static int ranks_missing(const struct trace *t)
{
	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];

		if (p->running && p->rank < 0 && t->end - p->start < RANK_WAIT_NS)
			return 1;
	}
	return 0;
}

/* When the chunk begins that a stream is writing. */
static int live_begin(struct trace *t, uint32_t stream, int64_t *out, struct error *e)
{
	size_t chunks = t->stream[stream].chunks;
	struct clip_part part = {.first = chunks ? chunks - 1 : 0, .most = SIZE_MAX, .going = 1};
	struct clip clip;
	int code = clip_open_part(&clip, t, stream, part, e);

	*out = clip.chunk_time;
	clip_close(&clip);
	return code < 0 ? code : 0;
}

/* Up to when nothing changes any more. Calls that are folded are removed from the chunk that is being written. */
static int settled(struct trace *t, int64_t *out, struct error *e)
{
	int code = 0;

	*out = t->end - SETTLED_NS;
	for (uint32_t s = 0; s < t->stream_n && !code; s++) {
		const struct trace_process *p = &t->process[t->stream[s].process];
		int64_t begin;

		if (!p->running || !trace_process_meta(p, TAU_META_CALLS_MAY_BE_FOLDED))
			continue;
		code = live_begin(t, s, &begin, e);
		if (!code && begin < *out)
			*out = begin;
	}
	return code;
}

static void grown_check(struct follow_chunks *c, const struct trace *t, int *grown)
{
	uint64_t records = 0;

	for (size_t i = 0; i < t->stream_n; i++)
		records += t->stream[i].records;
	*grown = records > c->records;
	c->records = records;
}

int follow_chunks_look(struct follow_chunks *c, struct trace *t, struct follow_going going,
		       int *grown, struct error *e)
{
	int64_t limit = t->end;
	int code = going.run ? follow_possible(t, e) : 0;

	grown_check(c, t, grown);
	if (code || (going.run && going.ranks && ranks_missing(t)))
		return code;
	if (c->begin == INT64_MIN)
		c->begin = c->last && t->end > c->last ? t->end - c->last : 0;
	if (going.run)
		code = settled(t, &limit, e);
	while (!code && c->begin <= limit - c->every) {
		elsewhere_extend(t, going.run ? c->begin + c->every : 0);
		code = chunk_write(c, t, c->begin + c->every, e);
	}
	if (!code && !going.run && c->begin < t->end)
		code = chunk_write(c, t, INT64_MAX, e);
	if (!code && !going.run && !c->written)
		code = error_set(e, ERROR_INPUT, "%s: there are no events in it", t->path);
	return code;
}

void follow_chunks_report(const struct follow_chunks *c, const char *program)
{
	char *lost = write_losses(&c->options), settled[QUANTITY_TEXT];

	if (lost)
		message_print(program, "otf2 does not contain: %s", lost);
	if (c->late)
		message_print(program, "events became visible more than %s after their time, "
			"%llu times: their threads begin earlier in the archive after theirs",
			quantity_time_text((double)SETTLED_NS, settled),
			(unsigned long long)c->late);
	free(lost);
}

void follow_chunks_end(struct follow_chunks *c)
{
	if (!c)
		return;
	rmdir(c->to);
	names_release(&c->stream);
	free(c->place);
	free(c);
}
