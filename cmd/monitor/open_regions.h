/* open_regions.h: the regions that each thread has open at the end of a trace: what a running program is doing now. */
#ifndef OPEN_REGIONS_H
#define OPEN_REGIONS_H

#include "analyze/trace/trace.h"

struct callstack;

/* The open regions of one stream, outermost first. */
struct open_regions {
	uint32_t *region; /* indexes into trace->region */
	size_t n;
	int64_t since; /* ns: when the innermost was entered, or the last event; 0 if n is 0 */
};

/* What a replay finds at the end of each stream, by stream. */
struct open_streams {
	struct open_regions *v;
	unsigned char *known;
	size_t n; /* streams of the trace */
};

void open_streams_init(struct open_streams *s, const struct trace *t);
/* replay_options.ends; to: a struct open_streams. */
void open_streams_receive(void *to, uint32_t stream, const struct callstack *open, int64_t last);
void open_streams_release(struct open_streams *s);

/*
 * Reads the last chunk of a stream. Release the result with free(out->region). O(regions of the trace + events of a chunk).
 * Errors are those of the reader; then nothing is left to release.
 */
int open_regions_get(struct trace *t, uint32_t stream, struct open_regions *out, struct error *e);

#endif
