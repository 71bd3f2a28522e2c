/*
 * formats.h: the trace formats as rows. What a path holds is told from its contents, never from its name.
 */
#ifndef FORMATS_H
#define FORMATS_H

#include "../analyze/trace.h"

struct trace_format {
	const char *name;	/* "tau", "otf2", "trc" */
	const char *about;	/* one phrase for messages and manuals */
	int (*is)(const char *path);
	int (*open)(const char *path, struct trace **out, struct error *e);
};

/* Ends with a row without a name. */
extern const struct trace_format trace_formats[];

/* The first format whose `is` says yes; NULL: none does. */
const struct trace_format *trace_format_of(const char *path);

/*
 * Opens a trace of any format. ERROR_INPUT: no format knows it, or it is damaged; ERROR_SYSTEM: it cannot be read.
 */
int trace_open(const char *path, struct trace **out, struct error *e);

/* ---- readers that have no header of their own ---- */

/* OTF2: the anchor file (*.otf2), or a directory that holds exactly one, itself or one level down. */
int otf2_is(const char *path);
int otf2_open(const char *path, struct trace **out, struct error *e);

/* TAU's own traces: a .trc or .edf file, or a directory of them. */
int tau_trace_is(const char *path);
int tau_trace_open(const char *path, struct trace **out, struct error *e);

#endif
