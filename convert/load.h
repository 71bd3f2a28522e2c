/*
 * load.h: the one entry for everything that can become profiles: traces (formats.h) and profiles
 * (profile_format.h). The contents decide which format it is.
 */
#ifndef LOAD_H
#define LOAD_H

#include "analyze/replay/replay.h"
#include "convert/io/input.h"
#include "convert/ranks.h"
#include "record/metadata.h"
#include "convert/load_types.h"

struct symbols_kept;
void load_report_release(struct load_report *r);

/* Which of several readable things in a directory is read, as a sentence to be freed; NULL: there is no choice. */
char *load_choice(struct input *in);

int load_before_finalize(const char *window); /* NULL: no */
/* The window for people: "everything", "everything before finalize", or itself. */
const char *load_window_words(const char *window);

/*
 * Hands over one profile per window as soon as it is there, in their order, as load_profiles() yields them; at most a few are
 * in memory at a time. At n = 1 nothing is handed over before all is read. A sink may have taken some when it fails. The report
 * is complete at the end.
 */
int load_each(struct input *in, const struct load_options *o, const struct replay_sink *sink, struct error *e);

/*
 * The same twice: look is handed every profile, which stays load_twice()'s, before take is handed the first. The trace is read once: many
 * profiles wait in a temporary file (spool.h).
 */
int load_twice(struct input *in, const struct load_options *o, const struct replay_sink *look,
	       const struct replay_sink *receive, struct error *e);

/*
 * One profile per window, in their order (exactly one when there are no windows; one text may be several), sorted by
 * profile_sort(). The caller frees each with profile_free() and then *out with free(). On failure nothing is
 * left to free. Errors: ERROR_SYSTEM (cannot be read), ERROR_INPUT (not a run or TAU profiles; a window that
 * does not fit the run), ERROR_USAGE (a window that cannot be understood).
 */
int load_profiles(struct input *in, const struct load_options *o, struct profile ***out, size_t *out_n,
		  struct error *e);
/* The same for a path that is read once. */
int load_path_profiles(const char *path, const struct load_options *o, struct profile ***out, size_t *out_n,
		       struct error *e);

#endif
