/*
 * progress.h: a line on the terminal that shows the progress of long work. It appears when the work has taken a while, is
 * rewritten a few times a second, and is gone when the work is over; where standard error is no terminal there is none.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "analyze/replay/replay.h"

struct progress {
	const char *what;	/* that is being read: a path */
	int on, shown;
	int64_t begin, next;	/* ns: when it began; when to write again */
	int stage;		/* of the replay; -1: none yet */
};

/* The clock starts here. what: kept, not copied. */
void progress_begin(struct progress *p, const char *what);
/* For `progress` of struct replay_options and struct load_options; to: a struct progress. */
void progress_replay(void *to, enum replay_stage stage, uint64_t done, uint64_t all);
/* Shows these words, if the work has taken a while and the line was not written just now. */
void progress_words(struct progress *p, const char *words);
/* Erases the line. May be called several times. */
void progress_end(struct progress *p);

#endif
