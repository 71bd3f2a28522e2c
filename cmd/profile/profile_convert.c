/* profile_convert.c: turns profiles into other formats. */
#include "analyze/profile/profile.h"
#include "cmd/shared/message.h"
#include "cmd/shared/notes.h"
#include "cmd/profile/profile_convert.h"

#include <stdio.h>
#include <string.h>

#include "convert/load.h"
#include "convert/tau/tau_profile.h"
#include "cmd/profile/profile_print.h"
#include "cmd/profile/profile_text.h"

#define KEEPS_TABLE                                                                                \
	(KEEPS_METRICS | KEEPS_PATHS | KEEPS_THREADS | KEEPS_DERIVED | KEEPS_COUNTERS |            \
	 KEEPS_CONTEXTS | KEEPS_CALLS | KEEPS_GROUPS | KEEPS_LONG | KEEPS_SERIES | KEEPS_LINES |   \
	 KEEPS_SEMICOLONS | KEEPS_DIGITS | KEEPS_CALLERS | KEEPS_EDGES | KEEPS_TITLES |            \
	 KEEPS_CONTROLS | KEEPS_SIGNS | KEEPS_BELOW_0)

/* Another format holds all that there is. */
static void print_text(FILE *f, struct profile *p, size_t nth, size_t n)
{
	static const struct profile_text all = {.all = 1};

	(void)n;
	profile_text_print(f, p, nth, &all);
}

static const struct profile_format printed[] = {
	{"json", "JSON", ".json", KEEPS_TABLE | KEEPS_META | KEEPS_WINDOW | KEEPS_FRACTIONS, NULL,
	 NULL, profile_print_json},
	{"csv", "one table of comma-separated values", ".csv",
	 KEEPS_TABLE | KEEPS_WINDOW | KEEPS_BYTES | KEEPS_NAN, NULL, NULL, profile_print_csv},
	{"text", "tables for people", ".txt",
	 KEEPS_BYTES | KEEPS_NAN | (KEEPS_TABLE & ~(uint32_t)(KEEPS_GROUPS | KEEPS_DIGITS)),
	 NULL, NULL, print_text},
	{0},
};

static int is_directory(const struct profile_format *f)
{
	return !*f->suffix;
}

/* The next row that can be written; f NULL: the first. NULL: there are no more. */
static const struct profile_format *next_target(const struct profile_format *f)
{
	f = f ? f + 1 : profile_formats;
	while (f->name && !f->suffix)
		f++;
	return f->name ? f : f == printed + 3 ? NULL : printed;
}

const struct profile_format *profile_target(const char *name, const char *out)
{
	const struct profile_format *f = NULL, *best = NULL;
	const char *slash = strrchr(out, '/');
	size_t n = strlen(out);

	if (!name && !strncmp(slash ? slash + 1 : out, "callgrind.out", 13))
		name = "callgrind";
	while ((f = next_target(f))) {
		size_t m = strlen(f->suffix);

		if (name ? !strcmp(name, f->name) : m && n > m && !strcmp(out + n - m, f->suffix))
			return f;
		best = best ? best : f;
	}
	return name ? NULL : best;
}

size_t profile_target_names(const char *name[PROFILE_TARGETS], const char *suffix[PROFILE_TARGETS])
{
	size_t n = 0;

	for (const struct profile_format *f = NULL; (f = next_target(f)) && n < PROFILE_TARGETS;) {
		name[n] = f->name;
		suffix[n++] = f->suffix;
	}
	return n;
}

char *profile_target_text(void)
{
	const char *name[PROFILE_TARGETS], *suffix[PROFILE_TARGETS];
	size_t n = profile_target_names(name, suffix);
	char *text = mem_string(name[0]);

	for (size_t i = 1; i < n; i++) {
		char *longer = mem_printf("%s%s%s", text, i + 1 < n ? ", " : " or ", name[i]);

		free(text);
		text = longer;
	}
	return text;
}

static int writer_begin(struct profile_writer *w, size_t n, struct error *e)
{
	int code = 0;

	w->apart = n > 1 && !(w->format->keeps & KEEPS_SERIES);
	if (w->apart)
		code = windows_save_begin(&w->windows, w->to, w->format, n, e);
	else if (!is_directory(w->format))
		code = output_begin(&w->out, w->to, e);
	w->begun = !code;
	return code;
}

int profile_writer_receive(void *to, struct profile *p, size_t nth, size_t n, struct error *e)
{
	struct profile_writer *w = to;
	int code = nth || !w->text ? 0 : profile_text_check(w->text, p, e);

	if (!code && !nth)
		code = writer_begin(w, n, e);

	if (!code && w->apart) {
		code = windows_save_one(&w->windows, p, e);
	} else if (!code && is_directory(w->format)) {
		code = tau_profile_write(w->to, p, e);
	} else if (!code) {
		if (w->text && w->format->print == print_text)
			profile_text_print(w->out.file, p, nth, w->text);
		else
			w->format->print(w->out.file, p, nth, n);
		code = output_flush(&w->out, w->to, e);
	}
	profile_loss_add(&w->loss, w->format, p);
	if (w->look)
		w->look(w->look_to, p, nth, n);
	profile_free(p);
	return code;
}

int profile_writer_end(struct profile_writer *w, int code, struct error *e)
{
	if (!w->begun)
		return code;
	if (w->apart)
		return windows_save_end(&w->windows, code, e);
	if (is_directory(w->format))
		return code;
	if (!code)
		return output_close(&w->out, w->to, e);
	output_drop(&w->out);
	return code;
}

char *profile_writer_lost(const struct profile_writer *w)
{
	struct profile_format each = *w->format;

	each.keeps |= KEEPS_SERIES;
	return profile_loss_text(&w->loss, &each);
}

int profile_convert(const struct program *program, struct input *in, const char *window,
		    const struct filter *only, const char *out, const struct profile_format *f,
		    struct error *e)
{
	struct load_report report = {0};
	struct load_options o = {.callpath_depth = -1, .only = only, .report = &report};
	struct profile_writer w = {.to = out, .format = f};
	char *lost;
	int code;

	o.window = &window;
	o.window_n = window != NULL;
	code = load_each(in, &o, &(struct replay_sink){profile_writer_receive, &w}, e);
	code = profile_writer_end(&w, code, e);
	lost = code ? NULL : profile_writer_lost(&w);
	if (!code)
		notes_print(program->name, report.note, report.note_n);
	if (lost)
		message_print(program->name, "%s", lost);
	free(lost);
	load_report_release(&report);
	return code;
}
