/*
 * formats.h: the formats that traces are read from and written in, one row each. Which of them a path holds depends on its
 * contents, never on its name.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include "analyze/trace/trace.h"
#include "convert/io/input.h"
#include "convert/trace_write.h"

struct symbols_kept;

struct trace_format {
	const char *name;	/* "tau", "otf2", "trc" */
	const char *about;	/* one phrase for messages and manuals */
	int (*is)(struct input *in);
	/* kept: binaries that are kept for other traces (convert/code/symbols.h); NULL: none. */
	int (*open)(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e);
	int indexed;		/* an index can be made beside it */
};

/* Ends with a row without a name. */
extern const struct trace_format trace_formats[];

/* The first format that recognizes the input; NULL: none does. */
const struct trace_format *trace_format_of(struct input *in);

/*
 * Opens a trace of any format. ERROR_INPUT: no format knows it, or it is damaged; ERROR_SYSTEM: it cannot be read.
 */
int trace_open(const char *path, struct trace **out, struct error *e);
/*
 * The same for an input that is known already, and that outlives the trace. kept: binaries that are kept for other traces
 * (convert/code/symbols.h); NULL: none.
 */
int trace_open_input(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e);
/* The same for a trace that may be a run of ours that is opened again and again: native_open_again(). */
struct native_kept;
int trace_open_again(const char *path, const char *host, struct native_kept *kept, struct trace **out, struct error *e);

/* ---- writing ---- */

struct write_format {
	const char *name;	/* "otf2" */
	const char *about;	/* one phrase */
	const char *suffix;	/* of what it writes: ".otf2" */
	/* Returns ERROR_SYSTEM: it cannot be written; ERROR_INPUT: nothing is in it; and the errors of reading. */
	int (*write)(struct trace *t, const char *to, struct write_options *o, struct error *e);
};
extern const struct write_format write_formats[];	/* ends with a row without a name */

/* The row of a name; NULL: there is none. */
const struct write_format *write_format_of(const char *name);

/* ---- readers that have no header of their own ---- */

/* OTF2: the anchor file (*.otf2), or a directory that holds exactly one, itself or one level down. */
int otf2_is(struct input *in);
int otf2_open(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e);

/* TAU's own traces: a .trc or .edf file, or a directory of them. */
int tau_trace_is(struct input *in);
int tau_trace_open(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e);

#endif
