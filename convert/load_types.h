/* load_types.h: what is loaded of an input, and how. */
#ifndef LOAD_TYPES_H
#define LOAD_TYPES_H

#include "analyze/replay/replay.h"
#include "convert/ranks.h"
#include "record/metadata.h"

/* The notes of a load, and its cost. Zero it before, release it afterwards. */
struct load_report {
	struct note *note; /* lost events, repaired frames, damaged files ... */
	size_t note_n, note_cap;
	uint64_t bytes_read, bytes_total;	/* of the trace files; what is read twice counts twice */
	uint64_t index_read;	/* bytes of their indexes */
	uint64_t events;	/* decoded, enter and leave are one each */
};

/*
 * The window that ends where a runtime is about to be taken down, with every type and owner settled: the memory
 * wrapper marks that moment with a region (tau-memory(7)). Only runs that it recorded have it.
 */
#define LOAD_BEFORE_FINALIZE ":" TAU_REGION_CENSUS "#1"

struct load_options {
	const char **window;	/* texts as in tau-trace2profile(1), WINDOWS; none: everything */
	const struct window_between *between;	/* instead of texts */
	size_t window_n;	/* of either */
	struct window_series series;	/* that each of them, or everything, is cut into */
	const struct filter *only;      /* selected ranks and threads; NULL: all */
	int callpath_depth;	/* 0 flat only, -1 unlimited, otherwise 2 or more */
	int all_levels;		/* unlimited paths of a trace are not added up as in deep_paths.h */
	int all_threads;	/* as in struct replay_options */
	int no_recorder;	/* profiles without the recorder's own regions (recorder_rows.h) */
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
	struct symbols_kept *kept;	/* as in trace_open_input() */
};

#endif
