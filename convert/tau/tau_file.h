/*
 * tau_file.h: one file of a TAU profile (tau_profile.h), read into a profile of several; used by its reader alone.
 */
#ifndef TAU_FILE_H
#define TAU_FILE_H

#include "analyze/profile/profile.h"
#include "convert/tau/meta_share.h"
#include "convert/tau/tau_metadata.h"
#include "convert/tau/tau_text.h"

/*
 * The row of the current thread for a path or sample: valid if serial is that of the current file;
 * a row also if it is one less: then this file has not had the row yet.
 */
struct tau_mark {
	uint32_t serial, row; /* row: index into the thread's rows or samples */
};

/* A timer's line in the file before. */
struct tau_seen {
	char *text; /* its name, a NUL, its groups */
	uint32_t path;
};

/* What is named of many. */
struct tau_list {
	char *text; /* NULL: nothing */
	size_t n;
};

struct tau_reader {
	struct profile *p;
	struct tau_text text; /* the file being read */
	uint32_t metric, thread, serial;
	int fresh;	/* no file before has this thread */
	struct {
		char *v; /* per thread: a file of it has been read */
		size_t v_n, v_cap;
	} read;
	size_t read_n;	/* files that have been read */
	int mixed;	/* a file is of another metric than its folder: that is no damage of one file */
	struct tau_list left_out; /* files that are damaged, and what is wrong with them */
	struct tau_list ignored;  /* text after the end of a profile */
	size_t rest;	/* line where that text begins in the file just read; 0: there is none */
	size_t odd, odd_line; /* lines among the timers of the file just read that are none; the first of them */
	const char *rest_after; /* what that line follows */
	size_t before;	/* rows of the thread that metrics before have made */
	int squares;	/* its rows have the sum of squares before the last number */
	size_t again;	/* rows of `before` that this file had, too */
	uint64_t *missing; /* per metric: rows without a value */
	struct tau_mark *mark; /* per path: the row of this thread */
	size_t mark_n, mark_cap;
	struct tau_seen *seen; /* by number of the line: mostly, all threads have the same timers in the same order */
	size_t seen_n, seen_cap;
	struct names events;       /* of this file, blanks trimmed */
	struct names sample_names; /* (counter, path) -> number, over all files */
	struct tau_mark *sample_mark;  /* per such number: the sample of this thread */
	size_t sample_mark_n, sample_mark_cap;
	struct meta_share common;
};

/*
 * Reads one profile.N.C.T, the text of r->text, for r->thread and r->metric. The name of its metric, if it has one, must be
 * metric. 0, or ERROR_INPUT: then the caller calls tau_file_undo(), or gives up the profile.
 */
int tau_file_parse(struct tau_reader *r, const char *metric);
/* Takes back what a damaged file has brought, as if the file were not there. r->before is set before it is opened. */
void tau_file_undo(struct tau_reader *r);
/*
 * The metric that r->text names, "TIME" if it names none; the caller frees it. 0, or ERROR_INPUT. Changes the text: take it
 * anew.
 */
int tau_file_metric(struct tau_reader *r, char **metric);

#endif
