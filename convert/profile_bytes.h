/*
 * profile_bytes.h: profiles as bytes, exactly, and with them what one of several processes found out about a trace: the profiles of its share of
 * the streams, and what was noted while they were read. For this program on machines of the same kind; it is no format to keep.
 */
#ifndef PROFILE_BYTES_H
#define PROFILE_BYTES_H

#include "analyze/replay/replay.h"

struct part_read {
	uint64_t events, bytes, index_bytes;
};

struct packed_bytes {
	unsigned char *v;
	size_t v_n, v_cap;
};

/* All but a summary, appended. */
void profile_put(struct packed_bytes *out, const struct profile *p);

/* Decodes a profile; NULL: the bytes are damaged. */
struct profile *profile_get(const void *from, size_t n);

/* read: what was read for it. Notes are those that wait in the trace. */
void part_put(struct packed_bytes *out, const struct replay_part *p, const struct trace *t,
	      const struct part_read *read);

/*
 * Decodes a part: notes and numbers are added to the trace. Returns 0, or -1 if the bytes are not a
 * part of the trace.
 */
int part_get(const void *from, size_t n, struct replay_part *out, struct trace *t);

#endif
