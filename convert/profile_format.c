/* profile_format.c: the table of profile formats. */
#include "profile_format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "blob.h"
#include "load.h"
#include "tau_profile.h"

#define KEEPS_TAU                                                                                  \
	(KEEPS_METRICS | KEEPS_PATHS | KEEPS_THREADS | KEEPS_COUNTERS | KEEPS_CONTEXTS |           \
	 KEEPS_META | KEEPS_GROUPS | KEEPS_CALLS | KEEPS_WINDOW | KEEPS_FRACTIONS |                \
	 KEEPS_SEMICOLONS | KEEPS_DIGITS | KEEPS_CALLERS | KEEPS_SIGNS | KEEPS_BELOW_0 | KEEPS_NAN)
/* Text as it stands. */
#define KEEPS_TEXT                                                            \
	(KEEPS_EDGES | KEEPS_CONTROLS | KEEPS_BYTES | KEEPS_TITLES | KEEPS_PATHLIKE)

const struct profile_format profile_formats[] = {
	{"tau", "a directory of TAU profiles",
	 KEEPS_TAU | KEEPS_LONG | KEEPS_CONTROLS | KEEPS_BYTES, NULL, NULL, NULL},
	{"ppk", "a packed profile of ParaProf",
	 KEEPS_TAU | KEEPS_LINES | KEEPS_CONTROLS | KEEPS_TITLES, ppk_is, ppk_read, ppk_print},
	{"snapshot", "a merged or snapshot XML of TAU", KEEPS_TAU | KEEPS_LINES | KEEPS_LONG,
	 snapshot_is, snapshot_read, snapshot_print},
	{"cube", "a Cube file of Score-P or Scalasca", 0, cubex_is, cubex_read, NULL},
	{"callgrind", "for callgrind_annotate and KCachegrind",
	 KEEPS_METRICS | KEEPS_CALLS | KEEPS_PLACES | KEEPS_LONG | KEEPS_SEMICOLONS |
		 KEEPS_DIGITS | KEEPS_TEXT,
	 NULL, NULL, callgrind_print},
	{"pprof", "the text table of TAU's pprof",
	 KEEPS_PATHS | KEEPS_THREADS | KEEPS_COUNTERS | KEEPS_CONTEXTS | KEEPS_CALLS |
		 KEEPS_FRACTIONS | KEEPS_LONG | KEEPS_SERIES | KEEPS_LINES | KEEPS_SEMICOLONS |
		 KEEPS_CALLERS | KEEPS_SIGNS | KEEPS_BELOW_0 | KEEPS_NAN | KEEPS_TEXT,
	 NULL, NULL, pprof_print},
	{"folded", "folded stacks for flame graphs",
	 KEEPS_PATHS | KEEPS_LONG | KEEPS_DIGITS | KEEPS_SIGNS | (KEEPS_TEXT & ~KEEPS_EDGES),
	 folded_is, folded_read, folded_print},
	{NULL, NULL, 0, NULL, NULL, NULL},
};

const struct profile_format *profile_format_named(const char *name)
{
	for (const struct profile_format *f = profile_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static const struct profile_format *format_of(const struct blob *b)
{
	for (const struct profile_format *f = profile_formats; f->name; f++)
		if (f->is && f->is(b->p, b->n))
			return f;
	return NULL;
}

int profile_read(const char *path, const struct profile_format **format, struct profile **out,
		 struct error *e)
{
	const struct profile_format *f = profile_formats;
	struct stat st;
	struct blob b;
	int code;

	if (stat(path, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode) && !tau_profile_is(path) && snapshot_folder_is(path)) {
		f = profile_format_named("snapshot");
		code = snapshot_folder_read(path, out, e);
		if (!code)
			(*out)->name = load_name(path);
	} else if (S_ISDIR(st.st_mode)) {
		code = tau_profile_read(path, out, e);
	} else {
		code = blob_read(path, &b, e);
		if (code)
			return code;
		f = format_of(&b);
		code = f ? f->read(path, b.p, b.n, out, e)
			 : error_set(e, ERROR_INPUT, "%s: offset 0: this is no profile", path);
		blob_release(&b);
		if (!code)
			(*out)->name = load_name(path);
	}
	if (!code && format)
		*format = f;
	return code;
}

int profile_is(const char *path)
{
	struct stat st;
	struct blob b;
	int is;

	if (stat(path, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return tau_profile_is(path) || snapshot_folder_is(path);
	if (blob_peek(path, &b))
		return 0;
	is = format_of(&b) != NULL;
	blob_release(&b);
	return is;
}
