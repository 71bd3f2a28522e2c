/*
 * text_lines.h: the events of a trace as lines of text: what all formats share, and a quick way for enters and leaves, which is
 * nearly all there is. Their lines differ in the time only, so each is made once by the format itself and then repeated.
 */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H

#include "convert/clip.h"
#include "convert/trace_write.h"

/* What a format puts around and between the streams. */
struct text;
struct text_kind {
	void (*open)(struct text *x);
	void (*begin)(struct text *x, uint32_t stream); /* NULL: nothing */
	void (*end)(struct text *x);	/* of a stream that `begin` began; NULL: nothing */
	int (*finish)(struct text *x, struct error *e);	/* after all streams; NULL: nothing */
	void (*receive)(struct text *x, const struct clip_event *ev);
	const char *close;
	int us; /* times are microseconds with three decimals, not ns */
};

struct pattern;
struct json_samples;

/* What both writers need of a stream. */
struct text {
	const struct text_kind *kind;
	FILE *f;
	struct trace *trace;
	struct write_options *o;
	int node;
	uint32_t thread;
	struct names pairs; /* JSON: sends and receives counted by what makes them match */
	uint64_t *count;
	size_t count_n;
	int comma;
	struct json_samples *samples; /* JSON: of the stream; NULL: it has none yet */
	struct pattern *pattern; /* of the stream: enters by region, then leaves; NULL: lines have metrics, too */
	int64_t floor;		 /* no time before it is written */
	const uint32_t *column;	 /* CSV: the metric of the trace that each column has; NULL: as the trace has them */
	size_t column_n;
	long *time_at;		 /* NULL, or gets the file offset of the time */
	char *lines;
	size_t lines_n;
};

/* Opens each stream that is not excluded and writes its events. */
int text_streams(struct text *x, struct error *e);
/* Begins and ends the lines of a trace, which are of one stream at a time. */
void text_lines_begin(struct text *x);
void text_lines_end(struct text *x);
/* After the begin: `take` gets each event. */
void text_lines_plain(struct text *x);
/* Writes the events of an open clip; after it, patterns of its stream are forgotten. */
int text_clip(struct text *x, struct clip *c, struct error *e);
/* A format's `take` writes the time next. */
void text_time(struct text *x);

#endif
