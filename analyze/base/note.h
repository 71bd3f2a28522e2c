/*
 * note.h: reports what was lost, repaired or chosen while a run was read, as a kind with fields.
 * The text is for people; code decides by the kind and the fields.
 */
#ifndef NOTE_H
#define NOTE_H

#include "analyze/base/base.h"

enum note_kind {
	NOTE_DAMAGE,      /* a part of a file cannot be read, or is missing */
	NOTE_EMPTY,       /* a file in which nothing was recorded */
	NOTE_UNCLOSED,    /* number: the last chunk of a file that was not closed; later ones may be missing */
	NOTE_LOST,        /* number: events that the recorder dropped */
	NOTE_STOPPED,     /* the recorder switched itself off; number: errno */
	NOTE_DEFINITIONS, /* names or ids without a definition, or whose definition changed */
	NOTE_LEFT_OUT,    /* data of the file for which this program has no equivalent */
	NOTE_TIMES,       /* times were corrected */
	NOTE_REPAIRED,    /* number: regions whose begin or end was not recorded, or leaves of other
			     regions */
	NOTE_SAMPLES,     /* number: sampling periods without a sample */
	NOTE_PAUSED,      /* number: how often recording was off, 0: unknown; seconds: for how
			   * long */
	NOTE_UNMATCHED,   /* number: stops of timers that were not running */
	NOTE_THROTTLED,   /* regions that are no longer recorded */
	NOTE_INDEX,       /* an index is damaged or too large */
	NOTE_WINDOW,      /* the selected window */
	NOTE_CHOICE,      /* which of several readable files or parts is read */
	NOTE_ENDED,       /* a process that a signal ended, or that is missing in the run */
	NOTE_CLOSING,     /* what tau-record would have reported when the run ended */
	NOTE_COMMAND,     /* number: of the command from outside; seconds: when the first process
			   * executed it */
	/* The text of the following kinds names no file of the run. */
	NOTE_SYMBOLS,     /* functions are named by address */
	NOTE_METRICS,     /* process; metrics that nothing provided */
	NOTE_LOST_ENDING, /* process; number: events before the recorder began, or of threads that were ending */
	NOTE_DEVICES,     /* process; number: what devices did, and is not recorded; 0: all of it */
	NOTE_BUDGET,      /* number: processes in which --budget stopped something */
	NOTE_UNTRACKED,   /* number: blocks that were allocated while a command excluded memory */
	NOTE_NEWER,       /* number: the minor version of the trace, which this program is older than */
	NOTE_RUNNING      /* number: processes that are still being recorded */
};

struct note {
	enum note_kind kind;
	size_t stream, process; /* 1 + index in the trace; 0: none in particular */
	double number, seconds; /* the meaning depends on the kind */
	char *run; /* path of the run, if the text does not begin with a file; NULL: the text
		    * does, or the path is unknown */
	char *window; /* its name; NULL: the note is about no window */
	char *text;   /* what happened; with `window`: in that window */
};

/*
 * "RUN: window 'WINDOW': TEXT", without the parts that the note does not have. The caller frees it.
 */
char *note_sentence(const struct note *n);
/* A copy with its own strings. notes_free() frees n notes with their strings, and the array. */
struct note note_copy(const struct note *n);
void notes_free(struct note *v, size_t n);

#endif
