/*
 * trace_options.h: the options of every program that reads traces: which windows of time, which ranks and threads, how many threads
 * do it, and whether by an index. A program has a struct trace_options, rows of it in its table of options, and calls
 * trace_options_parse() to get their values.
 */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include <limits.h>

#include "convert/load.h"
#include "cmd/shared/option.h"

struct trace_options {
	struct option_list window;
	const char *windows, *every, *resolution;
	long slices, threads;
	int index, no_index;
	struct option_list rank, thread, group, region, inside;
	/* What they mean: */
	struct option_list text;	/* of windows, those from the file included */
	char **line;			/* of the file */
	size_t line_n, line_cap;
	struct filter only;
};

/* What these options are before the command line is read. */
#define TRACE_OPTIONS_DEFAULT {.threads = 1, .slices = TRACE_OPTIONS_UNCUT}
#define TRACE_OPTIONS_UNCUT	LONG_MIN

/* Their rows of the table, for a struct trace_options. */
#define TRACE_OPTIONS_WINDOW(r)                                                                    \
	{                                                                                          \
		'w', "window", OPTION_LIST, "WINDOW",                                              \
			"use only this window: BEGIN:END, or a region; may be repeated",           \
			&(r)->window                                                               \
	}
#define TRACE_OPTIONS_WINDOWS(r)                                                                   \
	TRACE_OPTIONS_WINDOW(r), {0, "windows", OPTION_TEXT, "FILE",                               \
			    "read windows from FILE, one per line (-: standard input)",            \
			    &(r)->windows},                                                        \
	{                                                                                          \
		0, "every", OPTION_TEXT, "TIME|N",                                                 \
			"cut each window into slices of TIME, or of N instances", &(r)->every      \
	}                                                                                          \
	, {                                                                                        \
		0, "slices", OPTION_NUMBER, "N", "cut each window into N slices", &(r)->slices     \
	}
#define TRACE_OPTIONS_ONLY(r)                                                                      \
	{0, "rank", OPTION_LIST, "LIST", "read only these ranks: 0,3..7", &(r)->rank},             \
	{0, "thread", OPTION_LIST, "LIST", "read only these threads of each process: 0,3..7",      \
	 &(r)->thread},                                                                            \
	{0, "group", OPTION_LIST, "LIST", "keep only regions of these groups: MPI,TAU_USER",       \
	 &(r)->group},                                                                             \
	{0, "region", OPTION_LIST, "NAME", "keep only regions of this name; may be repeated",      \
	 &(r)->region},                                                                            \
	{                                                                                          \
		0, "inside", OPTION_LIST, "PATH",                                                  \
			"keep only what happens inside a call path: 'main => solve'",              \
			&(r)->inside                                                               \
	}
#define TRACE_OPTIONS_THREADS(r)                                                                   \
	{                                                                                          \
		'j', "threads", OPTION_NUMBER, "N",                                                \
			"read streams on N threads; 0: one per processor "                         \
			"(default: 1)",                                                            \
			&(r)->threads                                                              \
	}

#define TRACE_OPTIONS_SAMPLES(r)                                                                   \
	{                                                                                          \
		0, "sample-resolution", OPTION_TEXT, "WHAT",                                       \
			"distinguish samples by line, function or file (default: line)",           \
			&(r)->resolution                                                           \
	}

#define TRACE_OPTIONS_INDEX(r)                                                                     \
	{0, "index", OPTION_FLAG, NULL, "create the missing index of each stream first",           \
	 &(r)->index},                                                                             \
	{                                                                                          \
		0, "no-index", OPTION_FLAG, NULL, "read the trace itself, and create no index",    \
			&(r)->no_index                                                             \
	}

/* Was --slices given? */
static inline int trace_options_sliced(const struct trace_options *r)
{
	return r->slices != TRACE_OPTIONS_UNCUT;
}

/* What --stats prints, on standard error: of a trace and of its index; what is read twice counts twice. */
void trace_options_stats(const char *program, uint64_t read, uint64_t total, uint64_t index,
			 uint64_t events);

/*
 * Puts them into o, which points into r then; without --sample-resolution and TAU_EBS_RESOLUTION o
 * keeps its resolution. ERROR_USAGE: one of them makes no sense; ERROR_SYSTEM: no such file.
 */
int trace_options_parse(struct trace_options *r, struct load_options *o, struct error *e);
/* The same of the ranks, threads and regions alone; *out is NULL without one of them. */
int trace_options_only(struct trace_options *r, const struct filter **out, struct error *e);
/* The value of --threads; 0 becomes the number of processors. ERROR_USAGE: it is out of range. */
int trace_options_threads(const struct trace_options *r, unsigned *threads, struct error *e);
/* One window as one span in each process. What is several windows, or several spans of time, is no trace: ERROR_INPUT. */
int trace_options_spans(struct trace *t, const char *text, struct window_span *out,
			struct error *e);
void trace_options_release(struct trace_options *r);

#endif
