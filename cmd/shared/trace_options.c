/* trace_options.c: what the options of programs that read traces mean. */
#include "cmd/shared/trace_options.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/note.h"
#include "analyze/base/thread_pool.h"
#include "analyze/trace/filter.h"
#include "analyze/window/window.h"
#include "analyze/window/window_read.h"
#include "convert/io/regular.h"
#include "cmd/shared/message.h"
#include "convert/io/text_file.h"
#include "cmd/shared/tau_variables.h"

/* Those that this process may use. */
static unsigned processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n > 0 ? (unsigned)n : 1;
}

/* ---- windows from a file ---- */

static int read_lines(struct trace_options *r, FILE *f, struct error *e)
{
	char *line = NULL, *text;
	size_t cap = 0, n = 0;
	int code = 0;

	while (!code && getline(&line, &cap, f) >= 0) {
		struct error why = {0};

		n++;
		text = text_trim(line);
		if (!*text || *text == '#')
			continue;
		code = window_check(text, &why);
		if (code)
			error_set(e, code, "%s: line %zu: %s", r->windows, n, why.text);
		*array_add(r, line) = mem_string(text);
	}
	free(line);
	if (!code && ferror(f))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", r->windows, strerror(errno));
	if (!code && !r->line_n)
		code = error_set(e, ERROR_USAGE, "%s: it contains no window", r->windows);
	return code;
}

static int read_windows(struct trace_options *r, struct error *e)
{
	int standard = !strcmp(r->windows, "-"), code;
	FILE *f = standard ? stdin : regular_fopen(r->windows, e);

	if (!f)
		return e->code;
	f = text_stream(f);
	code = read_lines(r, f, e);
	if (f != stdin)
		fclose(f);
	for (size_t i = 0; i < r->line_n && !code; i++)
		*array_add(&r->text, v) = r->line[i];
	return code;
}

/* ---- taking ---- */

static int parse_series(const struct trace_options *r, struct window_series *out, struct error *e)
{
	struct error why = {0};

	if (r->every && trace_options_sliced(r))
		return error_set(e, ERROR_USAGE, "--every and --slices exclude each other");
	if (trace_options_sliced(r) && (r->slices < 1 || r->slices > WINDOWS_MAX))
		return error_set(e, ERROR_USAGE, "--slices: %ld is not a number from 1 to %d",
				 r->slices, WINDOWS_MAX);
	out->slices = trace_options_sliced(r) ? (uint64_t)r->slices : 0;
	if (r->every && window_every(r->every, out, &why))
		return error_set(e, ERROR_USAGE, "--every: %s", why.text);
	return 0;
}

static int parse_ranges(const struct option_list *l, const char *what, struct filter_ranges *out,
		       struct error *e)
{
	int code = 0;

	for (size_t i = 0; i < l->v_n && !code; i++)
		code = filter_parse(l->v[i], what, out, e);
	return code;
}

static void parse_names(const struct option_list *l, int several, struct filter_names *out)
{
	for (size_t i = 0; i < l->v_n; i++)
		filter_name(l->v[i], several, out);
}

int trace_options_only(struct trace_options *r, const struct filter **out, struct error *e)
{
	int code = parse_ranges(&r->rank, "rank", &r->only.rank, e);

	if (!code)
		code = parse_ranges(&r->thread, "thread", &r->only.thread, e);
	parse_names(&r->group, 1, &r->only.group);
	parse_names(&r->region, 0, &r->only.region);
	parse_names(&r->inside, 0, &r->only.path);
	if (r->rank.v_n || r->thread.v_n || r->group.v_n || r->region.v_n || r->inside.v_n)
		*out = &r->only;
	return code;
}

/* Sets *out by --sample-resolution or, without it, by TAU_EBS_RESOLUTION; with neither *out stays. */
static int parse_resolution(const char *text, enum stack_resolution *out, struct error *e)
{
	static const char *const name[] = {"line", "function", "file"};
	const char *from = text ? "--sample-resolution" : "TAU_EBS_RESOLUTION";

	if (!text)
		text = tau_variable("TAU_EBS_RESOLUTION");
	if (!text || !*text)
		return 0;
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (!strcmp(text, name[i])) {
			*out = (enum stack_resolution)i;
			return 0;
		}
	return error_set(e, ERROR_USAGE, "%s: '%s' is not line, function or file", from, text);
}

int trace_options_threads(const struct trace_options *r, unsigned *threads, struct error *e)
{
	if (r->threads < 0 || r->threads > WORK_THREADS_MAX)
		return error_set(e, ERROR_USAGE, "--threads: %ld is not a number from 0 to %d",
				 r->threads, WORK_THREADS_MAX);
	*threads = r->threads ? (unsigned)r->threads : processors();
	return 0;
}

int trace_options_parse(struct trace_options *r, struct load_options *o, struct error *e)
{
	int code = parse_series(r, &o->series, e);

	for (size_t i = 0; i < r->window.v_n; i++)
		*array_add(&r->text, v) = r->window.v[i];
	if (!code && r->windows)
		code = read_windows(r, e);
	o->window = r->text.v;
	o->window_n = r->text.v_n;
	if (!code)
		code = trace_options_only(r, &o->only, e);
	if (!code && r->index && r->no_index)
		code = error_set(e, ERROR_USAGE, "--index and --no-index exclude each other");
	if (!code)
		code = trace_options_threads(r, &o->threads, e);
	if (r->index || r->no_index)
		o->index = r->no_index ? INDEX_NEVER : INDEX_ALWAYS;
	if (!code)
		code = parse_resolution(r->resolution, &o->resolution, e);
	return code;
}

int trace_options_spans(struct trace *t, const char *text, struct window_span *out, struct error *e)
{
	struct windows found;
	const struct window_options o = {.text = &text, .n = 1};
	int code = windows_resolve_inside(t, &o, &found, e);

	if (code)
		return code;
	if (found.v_n != 1)
		code = error_set(e, ERROR_INPUT,
				 "window '%s' is %zu windows, but a trace is one: name an "
				 "instance, as in '%s'",
				 text, found.v_n, found.v_n ? found.v[0].text : "");
	for (size_t p = 0; p < t->process_n && !code; p++) {
		const struct window_spans *s = window_spans(&found.v[0], p);

		if (s->v_n > 1)
			code = error_set(e, ERROR_INPUT,
					 "window '%s' is %zu spans of time, but a trace is one: "
					 "name an instance, as in 'NAME#1'",
					 text, s->v_n);
		else if (s->v_n)
			out[p] = s->v[0];
	}
	for (size_t i = 0; i < found.note_n && !code; i++) {
		struct note *n = array_add(t, note);

		*n = note_copy(&found.note[i]);
		n->run = mem_string(t->path);
	}
	windows_release(&found);
	return code;
}

void trace_options_stats(const char *program, uint64_t read, uint64_t total, uint64_t index,
		   uint64_t events)
{
	char *of_index = index ? mem_printf(" and %llu of its index", (unsigned long long)index)
			       : mem_string("");

	message_print(program, "read %llu %s %llu bytes%s, decoded %llu events",
		      (unsigned long long)read,
		      read > total ? "bytes, some of them twice, of a trace of" : "of",
		      (unsigned long long)total, of_index, (unsigned long long)events);
	free(of_index);
}

void trace_options_release(struct trace_options *r)
{
	for (size_t i = 0; i < r->line_n; i++)
		free(r->line[i]);
	free(r->line);
	free(r->window.v);
	free(r->rank.v);
	free(r->thread.v);
	free(r->group.v);
	free(r->region.v);
	free(r->inside.v);
	free(r->text.v);
	filter_release(&r->only);
}
