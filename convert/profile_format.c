/* profile_format.c: the table of profile formats. */
#include "convert/profile_format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/profile/memory_side.h"
#include "convert/code/demangle.h"
#include "convert/io/blob.h"
#include "convert/io/paths.h"
#include "convert/tau/tau_profile.h"

#define KEEPS_TAU                                                                                  \
	(KEEPS_METRICS | KEEPS_PATHS | KEEPS_THREADS | KEEPS_COUNTERS | KEEPS_CONTEXTS |           \
	 KEEPS_META | KEEPS_GROUPS | KEEPS_CALLS | KEEPS_WINDOW | KEEPS_FRACTIONS |                \
	 KEEPS_SEMICOLONS | KEEPS_DIGITS | KEEPS_CALLERS | KEEPS_SIGNS | KEEPS_BELOW_0 | KEEPS_NAN)
/* Text without changes. */
#define KEEPS_TEXT                                                            \
	(KEEPS_EDGES | KEEPS_CONTROLS | KEEPS_BYTES | KEEPS_TITLES | KEEPS_PATHLIKE)

/* Any text may look like folded stacks: no row with a reader follows theirs. */
const struct profile_format profile_formats[] = {
	{"tau", "a directory of TAU profiles", "",
	 KEEPS_TAU | KEEPS_LONG | KEEPS_CONTROLS | KEEPS_BYTES | KEEPS_SQUARES, tau_file_is,
	 tau_file_read, NULL},
	{"ppk", "a packed profile of ParaProf", ".ppk",
	 KEEPS_TAU | KEEPS_LINES | KEEPS_CONTROLS | KEEPS_TITLES, ppk_is, ppk_read, ppk_print},
	{"snapshot", "a merged or snapshot XML of TAU", ".xml",
	 KEEPS_TAU | KEEPS_LINES | KEEPS_LONG, snapshot_is, snapshot_read, snapshot_print},
	{"cube", "a Cube file of Score-P or Scalasca", NULL, 0, cubex_is, cubex_read, NULL},
	{"cube3", "a Cube file of version 3 (XML)", NULL, 0, cube3_is, cube3_read, NULL},
	{"folded", "folded stacks for flame graphs", ".folded",
	 KEEPS_PATHS | KEEPS_LONG | KEEPS_DIGITS | KEEPS_SIGNS | (KEEPS_TEXT & ~KEEPS_EDGES),
	 folded_is, folded_read, folded_print},
	{"callgrind", "for callgrind_annotate and KCachegrind", ".callgrind",
	 KEEPS_METRICS | KEEPS_CALLS | KEEPS_PLACES | KEEPS_LONG | KEEPS_SEMICOLONS |
		 KEEPS_DIGITS | KEEPS_TEXT,
	 NULL, NULL, callgrind_print},
	{"pprof", "the text table of TAU's pprof", ".txt",
	 KEEPS_PATHS | KEEPS_THREADS | KEEPS_COUNTERS | KEEPS_CONTEXTS | KEEPS_CALLS |
		 KEEPS_FRACTIONS | KEEPS_LONG | KEEPS_SERIES | KEEPS_LINES | KEEPS_SEMICOLONS |
		 KEEPS_CALLERS | KEEPS_SIGNS | KEEPS_BELOW_0 | KEEPS_NAN | KEEPS_TEXT,
	 NULL, NULL, pprof_print},
	{0},
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

/* Files of traces are not profiles; a directory may contain very many of them. */
static int is_part_of_trace(const char *name)
{
	static const char *const end[] = {".tau", ".live", ".evt", ".def", ".otf2", ".trc", ".edf"};

	for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++)
		if (path_ends_in(name, end[i]))
			return 1;
	return *name == '.';
}

/* Any text with a number at the end of its lines looks like folded stacks. */
int profile_file_is(const char *path)
{
	struct input *in = input_new(path);
	const struct profile_format *f = NULL;
	struct blob b;

	if (!in->is_directory && !blob_peek(in, &b)) {
		f = format_of(&b);
		blob_release(&b);
	}
	input_free(in);
	return f && f->is != folded_is;
}

/* Files in a directory that are profiles, in alphabetical order. Release out. */
static void files_in(struct input *in, struct paths *out)
{
	const struct listing *l = input_names(in);

	for (size_t i = 0; l && i < l->entry_n; i++) {
		char *path;

		if (is_part_of_trace(l->entry[i].name))
			continue;
		path = mem_printf("%s/%s", in->path, l->entry[i].name);
		if (profile_file_is(path))
			*array_add(out, path) = path;
		else
			free(path);
	}
}

/* Only the user can choose one of several. */
static int several(const char *dir, const struct paths *files, struct error *e)
{
	char *names = mem_string("");
	int code;

	for (size_t i = 0; i < files->path_n; i++) {
		char *name = path_name(files->path[i]);
		char *more = mem_printf("%s%s%s", names, i ? ", " : "", name);

		free(name);
		free(names);
		names = more;
	}
	code = error_set(e, ERROR_INPUT,
			 "%s: contains %zu profiles (%s): name one of them, such as %s", dir,
			 files->path_n, names, files->path[0]);
	free(names);
	return code;
}

static int read_file(const char *path, const struct profile_format **f, struct profile **out,
		     struct error *e)
{
	struct blob b;
	int code = blob_read(path, &b, e);

	if (code)
		return code;
	*f = format_of(&b);
	code = *f ? (*f)->read(path, b.p, b.n, out, e)
		  : error_set(e, ERROR_INPUT, "%s: offset 0: this is not a profile", path);
	blob_release(&b);
	return code;
}

static int read_folder(struct input *in, const struct profile_format **f, struct profile **out,
		       struct error *e)
{
	struct paths files = {0};
	int code;

	*f = profile_formats;
	if (tau_profile_is(in))
		return tau_profile_read(in, out, e);
	if (snapshot_folder_is(in)) {
		*f = profile_format_named("snapshot");
		return snapshot_folder_read(in, out, e);
	}
	files_in(in, &files);
	code = files.path_n == 1  ? read_file(files.path[0], f, out, e)
	       : files.path_n > 1 ? several(in->path, &files, e)
				  : tau_profile_read(in, out, e);
	paths_release(&files);
	return code;
}

int profile_read(struct input *in, const struct profile_format **format, struct profile **out,
		 struct error *e)
{
	const char *path = in->path;
	const struct profile_format *f;
	struct stat st;
	int code;

	if (stat(path, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	code = S_ISDIR(st.st_mode) ? read_folder(in, &f, out, e) : read_file(path, &f, out, e);
	if (!code && !(*out)->name)
		(*out)->name = path_name(path);
	if (!code) {
		memory_side_read(*out);
		profile_rename_timers(*out, demangle_words);
	}
	if (!code && format)
		*format = f;
	return code;
}

static int folder_is(struct input *in)
{
	struct paths files = {0};
	size_t n;

	if (tau_profile_is(in) || snapshot_folder_is(in))
		return 1;
	files_in(in, &files);
	n = files.path_n;
	paths_release(&files);
	return n > 0;
}

static int file_is(struct input *in)
{
	struct blob b;
	int is;

	if (blob_peek(in, &b))
		return 0;
	is = format_of(&b) != NULL;
	blob_release(&b);
	return is;
}

int profile_is(struct input *in)
{
	if (in->is_profile == INPUT_UNKNOWN)
		in->is_profile = (in->is_directory ? folder_is(in) : file_is(in))
					 ? INPUT_YES
					 : INPUT_NO;
	return in->is_profile == INPUT_YES;
}
