/* remote.h: a helper on another host: the process that reaches it, and the frames to and from it. Nothing here waits. */
#ifndef REMOTE_H
#define REMOTE_H

#include <poll.h>
#include <sys/types.h>

#include "cmd/monitor/frame.h"

#define REMOTE_POLLS 3

struct remote {
	pid_t pid;	   /* 0: none runs */
	int to, from, err; /* its standard input, output and error; -1: closed */
	struct buffer out; /* not sent so far */
	struct buffer in;  /* received, and not taken */
	size_t taken;	   /* of `in`: the frame that remote_frame() returned last */
	int greeted;	   /* its first line was read */
	char said[256];	   /* the last line of its standard error */
};

/* Starts a command (argv, searched in PATH). ERROR_SYSTEM: it cannot be started, and *r is empty. */
int remote_start(struct remote *r, char *const argv[], struct error *e);
void remote_send(struct remote *r, enum frame_kind kind, const struct buffer *payload);
/* What poll() has to look at: REMOTE_POLLS entries. */
void remote_polls(const struct remote *r, struct pollfd p[REMOTE_POLLS]);
/* Reads and writes what is possible at once. */
void remote_move(struct remote *r);
/*
 * 1: *out is the next frame, valid until the next call; 0: there is none as yet; negative: the helper has ended, or what it sends
 * are not looks of this version: *e has the reason.
 */
int remote_frame(struct remote *r, struct monitor_frame *out, struct error *e);
/* Lets it end by itself: it gets no further requests. */
void remote_hang_up(struct remote *r);
/* Ends it, and releases what *r has. */
void remote_end(struct remote *r);

#endif
