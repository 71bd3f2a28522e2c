/* native.h: our own traces (tau-trace(5)) as a struct trace. */
#ifndef NATIVE_H
#define NATIVE_H

#include "analyze/trace/trace.h"
#include "convert/io/input.h"
#include "convert/io/paths.h"

/* Is the input a run directory (it contains a trace file) or one file of a run? Decided by contents. 0 also if it cannot be read. */
int native_is(struct input *in);
/* Does a directory contain files named like a run's, or can it not be read? 1 also if the input is no directory. */
int native_looks(struct input *in);

/*
 * The trace files of a run directory in order of name, or the one file itself. out: empty; the caller releases it, also after an
 * error. ERROR_INPUT: there are none; ERROR_SYSTEM: the directory is unreadable.
 */
int native_paths(struct input *in, struct paths *out, struct error *e);

/*
 * Opens a run directory or one stream (FILE.tau or FILE.live). Files that cannot be used are
 * skipped and named in the trace's notes; it is an error if no file remains. All definitions are
 * read here, events later.
 */
int native_open(const char *path, struct trace **out, struct error *e);
/* The row of the table of formats (formats.h). What is known of the run's files stays with an input that outlives its traces. */
struct native_kept;
struct symbols_kept;
int native_open_input(struct input *in, struct symbols_kept *kept, struct trace **out, struct error *e);
/* What is known of them, the input's; NULL: the input may end before its traces. */
struct native_kept *native_files(struct input *in);
/*
 * The same without names that must be looked up in programs, which takes a while, unless regions were dropped, and without the
 * closing line of the run (native_ends.h).
 */
int native_open_bare(struct input *in, struct trace **out, struct error *e);
/* The same with all names, for the process that prints the closing line. budget_ns: that of native_names_store(). */
#define DEBUG_FILES_NS 1000000000 /* budget from which separate debug files are read */
int native_open_named(struct input *in, uint64_t budget_ns, struct trace **out, struct error *e);

/* Opens what one process has written: the files of the run directory `path` whose names begin with `files` and a dot. */
int native_open_process(const char *path, const char *files, struct trace **out, struct error *e);
/*
 * Opens a run that is opened again and again while it is recorded, with what is kept of it (native_kept.h). host: only what the
 * processes of the host of this name, as uname(2) has it there, have written; NULL: everything.
 */
int native_open_again(const char *path, const char *host, struct native_kept *kept, struct trace **out, struct error *e);
/* A tick of that process in ns since the start of the run. t is of native_open_process(). */
int64_t native_moment(const struct trace *t, uint64_t tick);

#endif
