/* profile_convert.c: turns profiles into other formats. */
#include "profile_convert.h"

#include <stdio.h>
#include <string.h>

#include "../convert/load.h"
#include "../convert/tau_profile.h"
#include "output.h"
#include "profile_print.h"
#include "windows_save.h"

#define KEEPS_TABLE                                                                                \
	(KEEPS_METRICS | KEEPS_PATHS | KEEPS_THREADS | KEEPS_DERIVED | KEEPS_COUNTERS |            \
	 KEEPS_CONTEXTS | KEEPS_CALLS | KEEPS_GROUPS | KEEPS_LONG | KEEPS_SERIES | KEEPS_LINES |   \
	 KEEPS_SEMICOLONS | KEEPS_DIGITS | KEEPS_CALLERS | KEEPS_EDGES | KEEPS_TITLES |            \
	 KEEPS_CONTROLS | KEEPS_SIGNS | KEEPS_BELOW_0)

static const struct profile_format printed[] = {
	{"json", "JSON", KEEPS_TABLE | KEEPS_META | KEEPS_WINDOW | KEEPS_FRACTIONS, NULL, NULL,
	 profile_print_json},
	{"csv", "one table of comma-separated values",
	 KEEPS_TABLE | KEEPS_WINDOW | KEEPS_BYTES | KEEPS_NAN, NULL, NULL, profile_print_csv},
	{"text", "tables for people",
	 KEEPS_BYTES | KEEPS_NAN | (KEEPS_TABLE & ~(uint32_t)(KEEPS_GROUPS | KEEPS_DIGITS)),
	 NULL, NULL, profile_print_text},
};

static int is_directory(const struct profile_format *f)
{
	return !f->print && !f->read;
}

static const struct profile_format *named(const char *name)
{
	const struct profile_format *f = profile_format_named(name);

	for (size_t i = 0; i < sizeof(printed) / sizeof(*printed); i++)
		if (!strcmp(printed[i].name, name))
			return &printed[i];
	return f && (f->print || is_directory(f)) ? f : NULL;
}

const struct profile_format *profile_target(const char *name, const char *out)
{
	static const struct {
		const char *end, *format;
	} known[] = {{".ppk", "ppk"},
		     {".xml", "snapshot"},
		     {".folded", "folded"},
		     {".json", "json"},
		     {".csv", "csv"},
		     {".txt", "pprof"},
		     {".callgrind", "callgrind"}};
	const char *slash = strrchr(out, '/');
	size_t n = strlen(out);

	if (name)
		return named(name);
	if (!strncmp(slash ? slash + 1 : out, "callgrind.out", 13))
		return named("callgrind");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t m = strlen(known[i].end);

		if (n > m && !strcmp(out + n - m, known[i].end))
			return named(known[i].format);
	}
	return named("tau");
}

int profiles_write(const char *to, const struct profile_format *f, struct profile *const *p,
		   size_t n, struct error *e)
{
	struct output out;

	if (n > 1 && !(f->keeps & KEEPS_SERIES))
		return windows_save(to, f, p, n, e);
	if (is_directory(f))
		return tau_profile_write(to, p[0], e);
	output_open(&out);
	f->print(out.file, p, n);
	return output_close(&out, to, e);
}

char *profiles_lost(const struct profile_format *f, struct profile *const *p, size_t n)
{
	struct profile_format each = *f;

	each.keeps |= KEEPS_SERIES;
	return profile_format_lost(&each, p, n);
}

int profile_convert(const struct program *program, const char *in, const char *window,
		    const struct only *only, const char *out, const struct profile_format *f,
		    struct error *e)
{
	struct load_report report = {0};
	struct load_options o = {.callpath_depth = -1, .only = only, .report = &report};
	struct profile **p;
	size_t n;
	char *lost;
	int code;

	o.window = &window;
	o.window_n = window != NULL;
	code = load_profiles(in, &o, &p, &n, e);
	if (code) {
		load_report_release(&report);
		return code;
	}
	code = profiles_write(out, f, p, n, e);
	lost = code ? NULL : profiles_lost(f, p, n);
	for (size_t i = 0; i < report.note_n && !code; i++)
		fprintf(stderr, "%s: %s\n", program->name, report.note[i]);
	if (lost)
		fprintf(stderr, "%s: %s\n", program->name, lost);
	free(lost);
	load_report_release(&report);
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
	free(p);
	return code;
}
