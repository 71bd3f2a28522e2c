/*
 * load.h: the one entry for everything that can become profiles: traces (formats.h) and profiles
 * (profile_format.h). The contents decide which format it is.
 */
#ifndef LOAD_H
#define LOAD_H

#include "analyze/replay/replay.h"
#include "convert/ranks.h"
#include "record/metadata.h"

struct symbols_kept;

/* The notes of a load, and its cost. Zero it before, release it afterwards. */
struct load_report {
	struct note *note; /* lost events, repaired frames, damaged files ... */
	size_t note_n, note_cap;
	uint64_t bytes_read, bytes_total;	/* of the trace files; what is read twice counts twice */
	uint64_t index_read;	/* bytes of their indexes */
	uint64_t events;	/* decoded, enter and leave are one each */
};
void load_report_release(struct load_report *r);

/* Which of several readable things in a directory is read, as a sentence to be freed; NULL: there is no choice. */
char *load_choice(const char *path);

/*
 * The window that ends where a runtime is about to be taken down, with every type and owner settled: the memory
 * wrapper marks that moment with a region (tau-memory(7)). Only runs that it recorded have it.
 */
#define LOAD_BEFORE_FINALIZE ":" TAU_REGION_CENSUS "#1"
int load_before_finalize(const char *window); /* NULL: no */
/* The window for people: "everything", "everything before finalize", or itself. */
const char *load_window_words(const char *window);

struct load_options {
	const char **window;	/* texts as in tau-trace2profile(1), WINDOWS; none: everything */
	size_t window_n;
	struct window_series series;	/* that each of them, or everything, is cut into */
	const struct filter *only;      /* selected ranks and threads; NULL: all */
	int callpath_depth;	/* 0 flat only, -1 unlimited, otherwise 2 or more */
	int all_levels;		/* unlimited paths of a trace are not added up as in deep_paths.h */
	enum stack_resolution resolution;	/* of samples: lines, functions or files */
	enum index_policy index;
	int paths, no_memory, freed;	/* as in struct replay_options */
	int compensate;		/* take what recording cost from the times of a trace */
	int squares, sizes;	/* as in struct replay_options */
	/*
	 * the ranks that share the reading of a trace; NULL: only this process reads. Only rank 0
	 * gets profiles
	 */
	struct ranks *ranks;
	size_t group;		/* as in struct replay_options */
	unsigned threads;	/* that read streams side by side; 0 and 1: none besides the caller's */
	/* As in struct replay_options. */
	void (*progress)(void *to, enum replay_stage stage, uint64_t done, uint64_t all);
	void *progress_to;
	/* may be NULL: the notes are then only in the metadata "TAU Notes" */
	struct load_report *report;
	struct symbols_kept *kept;	/* as in trace_open_kept() */
};

/*
 * Hands over one profile per window as soon as it is there, in their order, as load_profiles() yields them; at most a few are
 * in memory at a time. At n = 1 nothing is handed over before all is read. A sink may have taken some when it fails. The report
 * is complete at the end.
 */
int load_each(const char *path, const struct load_options *o, const struct replay_sink *sink, struct error *e);

/*
 * The same twice: look is handed every profile, which stays load_twice()'s, before take is handed the first. The trace is read once: many
 * profiles wait in a temporary file (spool.h).
 */
int load_twice(const char *path, const struct load_options *o, const struct replay_sink *look, const struct replay_sink *take,
	       struct error *e);

/*
 * One profile per window, in their order (exactly one when there are no windows; one text may be several), sorted by
 * profile_sort(). The caller frees each with profile_free() and then *out with free(). On failure nothing is
 * left to free. Errors: ERROR_SYSTEM (cannot be read), ERROR_INPUT (not a run or TAU profiles; a window that
 * does not fit the run), ERROR_USAGE (a window that cannot be understood).
 */
int load_profiles(const char *path, const struct load_options *o, struct profile ***out, size_t *out_n,
		  struct error *e);

#endif
