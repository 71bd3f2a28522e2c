/*
 * ppk_stream.h: packed profiles (ppk.c), thread by thread: a job of any size is read in the memory
 * of one thread. The bytes may be packed with gzip or not, and may come from a pipe.
 */
#ifndef PPK_STREAM_H
#define PPK_STREAM_H

#include "analyze/profile/profile.h"

struct ppk_stream;

enum ppk_option {
	PPK_FEW_THREAD_META =
		1, /* of the metadata of threads, which come before the threads, keep only those of queues of
		    * devices and of what has values only */
};

/*
 * Opens path, "-" standard input, and reads what comes before the threads. ERROR_SYSTEM: it cannot
 * be read; ERROR_INPUT: it is not a packed profile, or damaged. If *out was set, the caller calls
 * ppk_stream_close(), also after an error.
 */
int ppk_stream_open(const char *path, unsigned options, struct ppk_stream **out, struct error *e);
void ppk_stream_close(struct ppk_stream *s);

/* What is defined, with the metadata of the trial; without threads before ppk_stream_rest(). The stream owns it. */
struct profile *ppk_stream_profile(struct ppk_stream *s);

/*
 * The next thread: 1, 0 after the last, or a negative code: damage, a negative node, or bytes after the last thread. Rows and
 * samples are sorted, each path once, and refer to the profile above; they and the metadata are the stream's and are valid
 * until the next call.
 */
int ppk_stream_next(struct ppk_stream *s, const struct profile_thread **out, struct error *e);

/*
 * Reads all remaining threads into the profile; the caller sorts it. 0, or as above; ERROR_INPUT also if a thread occurs twice.
 */
int ppk_stream_rest(struct ppk_stream *s, struct error *e);

#endif
