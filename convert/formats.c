/* formats.c: the table of trace formats. A new one is one file and one row. */
#include "formats.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "native.h"

const struct trace_format trace_formats[] = {
	{ "tau", "a run directory or one file of it", native_is, native_open },
	{ "otf2", "an OTF2 archive", otf2_is, otf2_open },
	{ "trc", "a trace of TAU (.trc with .edf)", tau_trace_is, tau_trace_open },
	{ NULL, NULL, NULL, NULL },
};

const struct trace_format *trace_format_of(const char *path)
{
	for (const struct trace_format *f = trace_formats; f->name; f++)
		if (f->is(path))
			return f;
	return NULL;
}

int trace_open(const char *path, struct trace **out, struct error *e)
{
	const struct trace_format *f;
	struct stat st;

	if (stat(path, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	f = trace_format_of(path);
	if (f) {
		int code = f->open(path, out, e);

		if (!code)
			trace_text_note(*out);
		return code;
	}
	if (!S_ISDIR(st.st_mode))
		return error_set(e, ERROR_INPUT, "%s: this is no trace file, and no profile", path);
	/* What looks like a run by its names gets the sentence about what is wrong with its files.
	 */
	if (native_looks(path))
		return native_open(path, out, e);
	return error_set(e, ERROR_INPUT,
			 "%s: it holds nothing that can be read: no .tau files of a run, no OTF2 "
			 "archive, no .trc with .edf, no profiles",
			 path);
}
