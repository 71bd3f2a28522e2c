/* profile_convert.h: profiles into other formats: all that convert/profile_format.h writes, and JSON, CSV and text. */
#ifndef PROFILE_CONVERT_H
#define PROFILE_CONVERT_H

#include "analyze/trace/filter.h"
#include "convert/profile_format.h"
#include "cmd/shared/option.h"
#include "cmd/shared/output.h"
#include "cmd/profile/profile_text.h"
#include "cmd/profile/windows_save.h"

/* The row of that name; of name NULL: the one that has the suffix of out, or tau. NULL: there is none. */
const struct profile_format *profile_target(const char *name, const char *out);

/* The names and suffixes of all formats of profiles that can be written; returns their number. */
#define PROFILE_TARGETS 32
size_t profile_target_names(const char *name[PROFILE_TARGETS], const char *suffix[PROFILE_TARGETS]);
/* "tau, ppk, ... or text", to be freed. */
char *profile_target_text(void);

/*
 * Writes the profiles of one run, as they come, to `to` (NULL: standard output, which a directory cannot be). Where the format
 * holds one window and there are several, `to` is a directory of them (windows_save.h). What is no standard output appears
 * whole or not at all. Zero it first; take() is the sink of a replay, whose `to` it is.
 */
struct profile_writer {
	const char *to;
	const struct profile_format *format;
	const struct profile_text *text;	/* how text looks; NULL: complete */
	/* Called with each profile before it is freed; NULL: not called. */
	void (*look)(void *to, const struct profile *p, size_t nth, size_t n);
	void *look_to;
	struct profile_loss loss;	/* what the format cannot hold of them, but that there are several */
	struct output out;
	struct windows_save windows;
	int begun, apart;		/* apart: each is a file of its own */
};
int profile_writer_receive(void *to, struct profile *p, size_t nth, size_t n, struct error *e);
/* code: how the rest went. Returns 0 or the first error. */
int profile_writer_end(struct profile_writer *w, int code, struct error *e);
/* What was lost, to be freed, or NULL. */
char *profile_writer_lost(const struct profile_writer *w);

/*
 * Writes what in holds, a profile or a trace, to out, and prints on standard error what the format cannot hold. A trace becomes
 * call paths of any depth.
 */
int profile_convert(const struct program *program, struct input *in, const char *window,
		    const struct filter *only, const char *out, const struct profile_format *f,
		    struct error *e);

#endif
