/*
 * waits.h: what a call waits for, in a record WAITS and in the head of a live chunk (format.h). man/tau-trace.5 is the normative text.
 */
#ifndef TAU_WAITS_H
#define TAU_WAITS_H

#include <stdint.h>

/*
 * The fields of a record WAITS, after which the stream ends inside a call, the innermost open one that waits: enum tau_wait; enum
 * tau_coll; comm; `rest`; peer, a world rank; tag. A record for each of its waits, after one of kind ALL or ANY. The recorder writes
 * none: a reader, or who closes the file, makes them of the live head.
 *
 * ALL, ANY: of each or of one of the waits that follow, and of `rest` others that are not named (the other
 * kinds: 0); RECEIVE: for a message from the peer (-1: from anyone) with the tag (-1: any); SEND: for one to the peer to be
 * received; COLL: for members of the communicator to enter the operation, whose root is the peer (-1: it has none); UNKNOWN: for a
 * request that is unknown. A send in the call that has no request, a synchronisation of a window, and operations of OpenSHMEM
 * have records of their own, and no wait here.
 */
enum tau_wait {
	TAU_WAIT_ALL, TAU_WAIT_ANY, TAU_WAIT_RECEIVE, TAU_WAIT_SEND, TAU_WAIT_COLL, TAU_WAIT_UNKNOWN, TAU_WAITS
};

#define TAU_LIVE_LEAST 256	/* bytes of a live head of minor version 1 and before, which has no waits */
#define TAU_LIVE_WAITS 14	/* most waits of a call that are named */
struct tau_live_waits {
	uint64_t tick;	/* when the call that waits was entered; where no such call is open, the rest is of an earlier one */
	uint32_t kind;	/* TAU_WAIT_ALL or TAU_WAIT_ANY */
	uint32_t n, rest;	/* waits in of[], and others */
	uint32_t reserved;	/* 0 */
	struct tau_live_wait {
		uint16_t kind, op;	/* enum tau_wait, enum tau_coll */
		uint32_t comm;
		int32_t peer, tag;
	} of[TAU_LIVE_WAITS];
	uint64_t reserved2;	/* 0 */
};

/*
 * What a call that works on a file waits for, in the head of a live chunk and in a record WAITS_FILE, which follows as one WAITS does:
 * enum tau_file_wait; the event whose name is the file's; holder, the process that had a lock in the way when the call began, by the
 * kernel's number (0: none, or not known); first byte and number of bytes of a lock (0: all that follow).
 */
enum tau_file_wait {
	TAU_FILE_CALL,			/* the file itself: to be opened, to have bytes or room for them */
	TAU_FILE_READ_LOCK, TAU_FILE_WRITE_LOCK,	/* a part of it for the process: fcntl(), lockf() */
	TAU_FILE_READ_LOCK_OPEN, TAU_FILE_WRITE_LOCK_OPEN,	/* a part of it for the open file: F_OFD_SETLKW */
	TAU_FILE_SHARED_LOCK, TAU_FILE_EXCLUSIVE_LOCK,	/* all of it: flock() */
	TAU_FILE_WAITS
};
struct tau_live_file {
	uint64_t tick;	/* when the call was entered; where no such call is open, the rest is of an earlier one */
	uint32_t file;
	uint32_t kind;	/* enum tau_file_wait */
	int32_t holder;
	uint32_t reserved;	/* 0 */
	uint64_t first, bytes;
};

#endif
