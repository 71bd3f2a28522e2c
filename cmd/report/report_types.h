/* report_types.h: the options, runs and kinds of reports. */
#ifndef REPORT_TYPES_H
#define REPORT_TYPES_H

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "cmd/shared/choice.h"
#include "analyze/profile/profile_series.h"
#include "cmd/shared/option.h"
#include "cmd/shared/output.h"
#include "cmd/shared/trace_options.h"
#include "cmd/table/table.h"
#include "cmd/table/table_unit.h"
#include "convert/io/input.h"

struct table_field; /* cmd/table/table_fields.h */

enum report_format {
	REPORT_TEXT,
	REPORT_CSV,
	REPORT_JSON,
	REPORT_SVG,
	REPORT_FOLDED,
	REPORT_JUNIT,
	REPORT_GITHUB,
	REPORT_MARKDOWN,	/* these two: a kind sees REPORT_TEXT, and report_table() writes its tables so */
	REPORT_HTML,
	REPORT_FORMATS
};
/* Their words on a command line. */
extern const char *const report_formats[REPORT_FORMATS];

/* As given on the command line; NULL where an option is absent. */
struct report_options {
	const struct report_kind *kind;	/* of the report */
	const char *db, *window, *output;
	const char *timeout;	/* how long the database is read */
	const char *where;	/* condition that selects runs or trials (trial_where.h); NULL: all */
	const char *at, *at_window;	/* a moment, and the window that ends there */
	enum report_format format;
	enum table_format text_as;	/* how report_table() writes what people read */
	long top;		/* -1: not given, 0: all */
	const char *cells;	/* of a timeline: a number or a time; NULL: not given */
	const char *rows;	/* of a timeline (rows_option.h); NULL: not given */
	const char *view, *per, *by;
	const char *metric;	/* NULL: the first */
	int explain;		/* columns with their meaning and formula, and inputs (explain.h) */
	const struct report_runs *inputs;	/* the runs that were loaded; NULL: none, a kind that reads events */
	const char *unit_name;	/* of times, or of bytes, as given; NULL: what suits the values */
	struct table_unit unit;	/* its size is 0 without it */
	int inclusive;		/* diff: inclusive values */
	const char *gate;	/* of kinds with a verdict, as given; NULL: none */
	size_t baseline_n; /* compare: number of operands, from the first, that are the baseline */
	const char *label, *order;	/* trend: metadata that names versions, file with their order; NULL: none */
	const char *problem;	/* scaling: weak or strong; NULL: detected */
	int samples;		/* what samples found, not the timers */
	int whole;		/* a kind about times: everything, not what is before finalize */
	int squares;		/* sums of squares of the calls' times are needed */
	int callpaths;		/* call paths are needed */
	int paths;		/* --by stack: sites are paths of calls */
	struct trace_options *series;	/* of a kind that looks at all windows of one run; otherwise NULL */
	struct report_sorting *sorting;	/* --sort; NULL: rows are in the order of the kind */
	const char *cut;	/* of trees and breakdowns: share of the whole below which a call path or region is not shown */
	const char *word;	/* the operand before the runs, as in: callers REGION RUN */
	const struct load_options *load;	/* which ranks, regions and call paths such a kind reads; otherwise NULL */
	struct symbols_kept *kept;	/* binaries, for all traces of the report (convert/code/symbols.h) */
	struct inputs *known;	/* what the operands are (convert/io/input.h) */
	struct report_picture *picture;	/* of a page: it follows the tables; NULL: none does (report_draws()) */
	int section;		/* of a page of all kinds, where each has a section */
	int alone;
	struct ranks *ranks;	/* that share the reading of runs (parallel.h); NULL: none */
	struct option_list predict;	/* texts with numbers of PEs, separated by commas */
	char *const *operand;	/* runs, or trials of the database */
	size_t operand_n;
};

/* The column by which the rows of tables are sorted, and what was found of it. */
struct report_sorting {
	const char *column;	/* as given */
	int found;		/* a table has it, or the kind sorts by it itself */
	char **key;		/* what it could be: columns of tables that can be sorted, and others of the kind */
	size_t key_n, key_cap;
};

/* A picture that a kind draws after its tables, from what it has read for them. */
struct report_picture {
	struct output out;
	int drawn; /* the kind draws it itself */
};

struct report_run {
	char *name;		/* path, or name of the trial */
	char *title;		/* the same in a picture, where a path is its last part */
	struct profile *profile;	/* sorted */
	size_t operand;		/* that it is of */
	int paused; /* of a series: recording was off at times, in a window or more */
};

struct report_runs {
	struct report_run *run;
	size_t run_n, run_cap;
	struct timeline *series; /* of a kind that looks at all windows of one run, which is run[0],
				    without a profile */
	struct note *note;              /* what loading found */
	size_t note_n, note_cap;
};

/*
 * Prints a report of one kind into out->file; the caller delivers it. Returns an exit status
 * (report_gate.h), or an error. width: of the terminal, 0 if the text does not go to one.
 */
typedef int report_print(const struct report_options *o, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e);

/* Which ranks, threads and regions of a trace can be selected. */
enum report_scope { REPORT_WHOLE, REPORT_PART, REPORT_PART_PATHS /* with call paths */ };
/* What a page about runs shows of a kind. */
enum report_page {
	REPORT_PAGE_NONE,
	REPORT_PAGE_TABLES,
	REPORT_PAGE_PICTURE,
	REPORT_PAGE_BOTH
};

/* A value of --by. The last one of a kind is followed by a NULL name. */
struct report_by {
	const char *name, *about;	/* about: what one row is then */
};

/* A value of another option that has a fixed list of them, and what it selects. The last one is followed by a NULL name. */
struct report_value {
	const char *name, *about;
	int is;	/* the number that a kind knows it by, such as an enum memory_measure */
};

/* The values that an option has for one kind: --help, the man page, completion and the check of the command line come from them. */
struct report_values {
	const char *option;	/* its long name; NULL ends the list */
	const struct report_value *value;	/* the first is that without the option, unless `without` names another; "": none */
	const char *without;
};

/* The question that a kind answers, by which --help groups the kinds. */
enum report_question {
	QUESTION_OVERVIEW,
	QUESTION_SLOW,
	QUESTION_WAITS,
	QUESTION_TIME,
	QUESTION_CHANGED,
	QUESTION_SCALING,
	QUESTION_TRAFFIC,
	QUESTION_MEMORY,
	QUESTION_PLUGIN,
	QUESTIONS
};

/*
 * A kind of report: kind_NAME in the file that prints it, and a line in kinds.h. The command line, --help, the check of options and
 * the page of all kinds come from this row.
 */
struct report_kind {
	const char *name, *about;	/* on the command line, and in --help */
	report_print *print;		/* NULL: a page of other kinds */
	const char *options;		/* separated by blanks: those that only some kinds use, and this one does */
	const char *lacks;		/* the same: those that all kinds use but this one and a few others */
	enum report_question question;
	const char *runs;		/* its operands in --help; NULL: RUN */
	const char *example;		/* what follows the name of the kind in an example */
	const struct table_field *const *columns;	/* of its tables, for the man page; the last one is NULL */
	const struct report_by *by;	/* the values of --by; NULL: it has no --by */
	const char *by_default;		/* the one without --by; NULL: the first */
	const struct report_values *values;	/* of options with a fixed list; NULL: it has none */
	const char *format;		/* --format if it is not given; NULL: text */
	const char *word;		/* an operand before the runs, as REGION in: callers REGION RUN */
	int events;			/* it reads the events of one run itself */
	int whole;			/* about times: without --window everything, not what is before finalize */
	enum report_scope part;
	int all_levels;			/* it prints no whole call paths, so that those of many levels stay as they are */
	int callpaths;			/* it reads call paths, whatever --by is */
	int sums;			/* it needs sums of timers over threads only (run_matrix.h), and no rows of threads */
	int at_end;			/* about memory: what is live at the end, not before finalize */
	int no_memory;			/* it shows no counters of memory, which are not computed then */
	int paths;			/* --by stack makes sense */
	int functions;			/* samples are by function, not by line, unless --sample-resolution is used */
	int baseline;			/* --baseline names the runs before */
	int ci;				/* also as JUnit XML and GitHub annotations */
	const char *title;		/* of its section on the page of all kinds */
	enum report_page page;
	int several;			/* the section is about all runs, not about one */
	const char *page_by;		/* --by there */
};
enum { REPORT_BYS = 16 }; /* at most, of one kind */

#endif
