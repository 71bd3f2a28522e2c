/*
 * frame.h: what monitors on several hosts send to each other: frames, each a head and a payload, after a line that names the form
 * and its version.
 *
 *	end that shows		helper
 *	START run, hosts	(nothing, or ERROR)
 *	ASK what is wanted	LOOK, or ERROR
 *	PROFILE			PROFILE of its last look, or ERROR
 */
#ifndef FRAME_H
#define FRAME_H

#include "convert/native/file/native_out.h"

/* The helper's first line. A reader refuses another version. */
#define FRAME_GREETING "tau-monitor looks "
#define FRAME_VERSION  4

enum frame_kind { FRAME_START = 1, FRAME_ASK, FRAME_LOOK, FRAME_PROFILE, FRAME_ERROR, FRAME_KINDS };

struct monitor_frame {
	enum frame_kind kind;
	const unsigned char *payload; /* in the buffer */
	size_t n;
};

/* Appends a frame. */
void frame_put(struct buffer *b, enum frame_kind kind, const void *payload, size_t n);
/* The first frame in the n bytes at v. 1: *out is it; 0: it is not complete; -1: the bytes are no frame. */
int frame_get(const unsigned char *v, size_t n, struct monitor_frame *out);
/* The bytes that it has taken, with its head. */
size_t frame_size(const struct monitor_frame *f);
/* Removes the first n bytes. */
void frame_drop(struct buffer *b, size_t n);

#endif
