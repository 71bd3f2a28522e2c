/* formats.c: the table of trace formats. A new one is one file and one row. */
#include "convert/formats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/code/demangle.h"
#include "convert/native/native.h"
#include "convert/native/live/native_kept.h"
#include "convert/native/live/run_processes.h"
#include "convert/io/regular.h"
#include "convert/profile_format.h"
#include "convert/unread_formats.h"

const struct trace_format trace_formats[] = {
	{ "tau", "a run of tau-record", native_is, native_open_input, 1 },
	{ "otf2", "an OTF2 archive", otf2_is, otf2_open, 0 },
	{ "trc", "a trace of TAU (.trc with .edf)", tau_trace_is, tau_trace_open, 0 },
	{ NULL, NULL, NULL, NULL, 0 },
};

const struct trace_format *trace_format_of(struct input *in)
{
	const struct trace_format *f = trace_formats;

	if (in->is_trace != INPUT_UNKNOWN)
		return in->format;
	while (f->name && !f->is(in))
		f++;
	in->format = f->name ? f : NULL;
	in->is_trace = f->name ? INPUT_YES : INPUT_NO;
	return in->format;
}

static void readable(char **name)
{
	char *better = demangle_words(*name);

	if (better) {
		free(*name);
		*name = better;
	}
}

/* Names of other tools' traces; the reader of our own makes regions later, with readable names. */
static void readable_names(struct trace *t)
{
	for (size_t i = 0; i < t->region_n; i++)
		readable(&t->region[i].name);
	for (size_t i = 0; i < t->event_n; i++)
		readable(&t->event[i].name);
}

static void finish(struct trace *t)
{
	trace_text_note(t);
	readable_names(t);
}

/* 0: it is a run of ours, which is not opened; 1: it is another trace, which is; or an error. */
static int first_open(const char *path, struct trace **out, struct error *e)
{
	struct input *in = input_new(path);
	int ours = native_is(in), code = ours ? 0 : trace_open_input(in, NULL, out, e);

	input_free(in);
	return code ? code : !ours;
}

int trace_open_again(const char *path, const char *host, struct native_kept *kept,
		     struct trace **out, struct error *e)
{
	int code = native_kept_any(kept) ? 0 : first_open(path, out, e);

	if (code)
		return code < 0 ? code : 0;
	code = native_open_again(path, host, kept, out, e);
	if (!code)
		finish(*out);
	return code;
}

/* Names what the file is instead, if that is known. */
static int unreadable_file(const char *path, struct error *e)
{
	char head[16] = "";
	int fd = regular_open(path, e);
	ssize_t n;

	if (fd < 0)
		return e->code;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	if (!n)
		return error_set(e, ERROR_INPUT, "%s: the file is empty", path);
	if (!memcmp(head, "SQLite format 3", sizeof(head)))
		return error_set(e, ERROR_INPUT,
				 "%s: this is a database, not a trace or profile. Try: tau-report "
				 "KIND --db %s; tau-db list -d %s",
				 path, path, path);
	if (!memcmp(head, "\177ELF", 4))
		return error_set(e, ERROR_INPUT,
				 "%s: this is a program or library, not a trace or profile. "
				 "Record it first: tau-record",
				 path);
	if (unread_format(path, e))
		return e->code;
	return error_set(e, ERROR_INPUT, "%s: this is neither a trace file nor a profile", path);
}

int trace_open(const char *path, struct trace **out, struct error *e)
{
	struct input *in = input_new(path);
	int code = trace_open_input(in, NULL, out, e);

	input_free(in);
	return code;
}

int trace_open_input(struct input *in, struct symbols_kept *kept, struct trace **out,
		     struct error *e)
{
	const char *path = in->path;
	const struct trace_format *f;

	if (regular_check(path, e))
		return e->code;
	f = trace_format_of(in);
	if (f) {
		int code = f->open(in, kept, out, e);

		if (!code)
			finish(*out);
		return code;
	}
	if (profile_is(in))
		return error_set(e, ERROR_INPUT,
				 "%s: it is a profile: it contains sums, and this needs the single "
				 "events of a trace. Try: tau-report overview, profile or "
				 "imbalance; or record a trace with tau-record",
				 path);
	if (!in->is_directory)
		return unreadable_file(path, e);
	if (run_is_alone(path))
		return error_set(e, ERROR_INPUT,
				 "%s: it is a run of tau-record --alone, which records nothing",
				 path);
	/* What looks like a run by its names gets the sentence about what is wrong with its files.
	 */
	if (native_looks(in))
		return native_open_input(in, kept, out, e);
	if (unread_format(path, e))
		return e->code;
	return error_set(e, ERROR_INPUT,
			 "%s: it contains nothing readable: no .tau files of a run, no OTF2 "
			 "archive, no .trc with .edf, no profiles",
			 path);
}

/* ---- writing ---- */

const struct write_format write_formats[] = {
	{"tau", "a run of our own format", ".run", native_write},
	{"otf2", "an OTF2 archive", ".otf2", otf2_write},
	{"json", "Chrome's and Perfetto's trace events", ".json", json_write},
	{"csv", "one line per event", ".csv", csv_write},
	{0},
};

const struct write_format *write_format_of(const char *name)
{
	for (const struct write_format *f = write_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
