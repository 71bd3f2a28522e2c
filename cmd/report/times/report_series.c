/* report_series.c: tau-report series: where the time goes, window by window, as one tidy table or
 * as a picture. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/trace/timer_name.h"
#include "analyze/profile/profile_series.h"
#include "cmd/report/report.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define WIDTH    1280
#define HEIGHT   640
#define LEFT     84
#define RIGHT    900
#define TOP      110
#define BOTTOM   560
#define LABEL    924
#define TOP_TEXT 5 /* regions of each window */
#define TOP_SVG  6

/* ---- the table ---- */

/* Whole nanoseconds, as times of our traces are, to the digit. */
static double milliseconds(double us)
{
	double ns = rint(us * 1000);

	return fabs(ns - us * 1000) < 1e-3 ? ns / 1e6 : us / 1000;
}

/* One row, a member for each column. */
struct series_cells {
	const char *window;
	double begin, end;
	const char *region, *group;
	int64_t threads;
	double calls, exclusive, inclusive, share;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct series_cells, window), TABLE_TEXT, "window", "window",
	 .meaning = "the window"},
	{FIELD(struct series_cells, begin), TABLE_NUMBER, "begin_ms", "begin", "ms", .precision = 3,
	 .meaning = "start of the window; 0 is the first event of the run"},
	{FIELD(struct series_cells, end), TABLE_NUMBER, "end_ms", "end", "ms", .precision = 3,
	 .spare = 3, .meaning = "end of the window"},
	{FIELD(struct series_cells, region), TABLE_TEXT, "region", "region",
	 .meaning = "name of the region"},
	{FIELD(struct series_cells, group), TABLE_TEXT, "group", "group", .spare = 4,
	 .meaning = "groups of the region"},
	{FIELD(struct series_cells, threads), TABLE_INTEGER, "threads", "threads", .spare = 2,
	 .meaning = "number of threads that have the region in the window"},
	{FIELD(struct series_cells, calls), TABLE_NUMBER, "calls", "calls",
	 .meaning = "calls that ended in the window"},
	{FIELD(struct series_cells, exclusive), TABLE_NUMBER, "exclusive", "exclusive", .scaled = 1,
	 .meaning = "time in the region itself inside the window, without the "
		    "regions that it called, over all threads"},
	{FIELD(struct series_cells, inclusive), TABLE_NUMBER, "inclusive", "inclusive", .scaled = 1,
	 .spare = 1, .meaning = "the same with the regions that it called"},
	{FIELD(struct series_cells, share), TABLE_NUMBER, "share_pct", "share", "%", .precision = 1,
	 .meaning = "share of the exclusive time of the window"},
	{0},
};
/* clang-format on */

static void row_put(struct table *t, const struct timeline *s, size_t w, const char *name,
		    const char *group, const struct timeline_cell *c)
{
	const struct timeline_window *p = &s->window[w];
	int timed = p->end_us >= p->begin_us;

	table_row(t);
	table_put_fields(
		t, &(struct series_cells){
			   .window = p->name ? p->name : ":",
			   .begin = timed ? milliseconds(p->begin_us) : NAN,
			   .end = timed ? milliseconds(p->end_us) : NAN,
			   .region = name,
			   .group = group,
			   .threads = c->threads,
			   .calls = c->calls,
			   .exclusive = s->counts ? c->excl : milliseconds(c->excl),
			   .inclusive = s->counts ? c->incl : milliseconds(c->incl),
			   .share = p->excl > 0 && c != &p->idle ? 100 * c->excl / p->excl : NAN,
		   });
}

static struct table *series_table(const struct timeline *s, size_t top, int samples,
				  const struct report_runs *r)
{
	const char *metric = s->counts;
	const struct field_scale scale = {metric ? "" : "_ms", metric ? NULL : "ms", 1,
					  metric ? 0 : 3};
	char *title = mem_printf("%s by window and %s, over all threads",
				 samples  ? "Samples"
				 : metric ? metric
					  : "Time",
				 samples ? "code" : "region");
	struct table *t = table_new(title);

	free(title);
	table_fields(t, fields, 0, &scale);
	report_load_notes(t, r);
	for (size_t w = 0; w < s->window_n; w++) {
		struct timeline_cell others = {0};

		for (size_t i = 0; i < s->region_n; i++) {
			const struct timeline_cell *c = timeline_cell(s, w, i);

			if (c && i < top)
				row_put(t, s, w, s->region[i].name, s->region[i].groups, c);
			else if (c)
				others.threads =
					c->threads > others.threads ? c->threads : others.threads,
				others.calls += c->calls, others.excl += c->excl;
		}
		others.incl = NAN;
		if (others.threads)
			row_put(t, s, w, "(others)", NULL, &others);
		if (s->window[w].idle.threads && !samples)
			row_put(t, s, w, "(threads in no region)", NULL, &s->window[w].idle);
	}
	if (s->idle_most && !samples)
		table_remark(t, "(threads in no region): threads that are in no region in any "
				"window, or only in the function that started them, such as "
				"waiting threads of a runtime. They do not count in the shares.");
	if (samples)
		table_remark(t, "Calls are samples; times are the CPU time that they represent.");
	else if (s->left_out)
		table_remark(t, "Samples are part of these times and not listed: use --samples.");
	return t;
}

/* ---- the picture ---- */

/* The place of a window along the axis: by time where windows follow each other, otherwise side by
 * side. */
static void window_place(const struct timeline *s, int timed, size_t w, double *from, double *to)
{
	double first = s->window[0].begin_us, last = s->window[s->window_n - 1].end_us;
	double begin = timed ? s->window[w].begin_us : (double)w,
	       end = timed ? s->window[w].end_us : (double)w + 1;

	if (!timed) {
		first = 0;
		last = (double)s->window_n;
	}
	if (last <= first)
		last = first + 1;
	*from = LEFT + (begin - first) / (last - first) * (RIGHT - LEFT);
	*to = LEFT + (end - first) / (last - first) * (RIGHT - LEFT);
}

static void areas(FILE *f, const struct timeline *s, size_t top, int timed)
{
	for (size_t w = 0; w < s->window_n; w++) {
		double from, to, below = 0, left = s->window[w].excl;
		char share[QUANTITY_TEXT];

		window_place(s, timed, w, &from, &to);
		for (size_t i = 0; i <= top && s->window[w].excl > 0; i++) {
			const struct timeline_cell *c = i < top ? timeline_cell(s, w, i) : NULL;
			double part = i == top ? left : c ? c->excl : 0;
			double height = part / s->window[w].excl * (BOTTOM - TOP);

			left -= part;
			if (height <= 0)
				continue;
			fprintf(f,
				"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
				"fill=\"%s\" shape-rendering=\"crispEdges\"><title>",
				from, BOTTOM - below - height, to - from > 0.2 ? to - from : 0.2,
				height, i < top ? svg_palette[i] : SVG_GREY);
			svg_escaped(f, s->window[w].name ? s->window[w].name : ":");
			fputs(": ", f);
			svg_escaped(f, i < top ? s->region[i].name : "others");
			fputs(", ", f);
			quantity_percent_text(100 * part / s->window[w].excl, share);
			svg_escaped(f, share);
			fputs("</title></rect>\n", f);
			below += height;
		}
	}
}

static const char *number_words(const void *of __attribute__((unused)), double number,
				char to[AXIS_TEXT])
{
	snprintf(to, AXIS_TEXT, "%.0f", number);
	return to;
}

/* Round moments, or the numbers of windows that are drawn side by side. */
static void x_axis(FILE *f, const struct timeline *s, int timed)
{
	struct axis a = {.low = timed ? 1e3 * s->window[0].begin_us : 0.5,
			 .high = timed ? 1e3 * s->window[s->window_n - 1].end_us
				       : (double)s->window_n + 0.5,
			 .from = LEFT,
			 .to = RIGHT,
			 .at = BOTTOM};

	if (timed)
		axis_times(&a, f);
	else
		axis_steps(&a, fmax(1, axis_round_step(a.high - a.low)), number_words, NULL, f);
	axis_title(&a, timed ? "time since the start of the run" : "window", f);
}

static void y_axis(FILE *f)
{
	struct axis a = {.high = 1, .from = BOTTOM, .to = TOP, .upright = true, .at = LEFT};

	axis_percents(&a, f);
}

/* "work, a.c:40" of "[SAMPLE] work [{/src/a.c} {40}]": what a legend has room for. */
static char *label_of(const char *name)
{
	const char *code = profile_timer_code(name);
	size_t n = name_short(name), skip = code ? (size_t)(code - name) : 0;
	struct name_location at;
	const char *file;

	if (!skip || !name_location(name, &at))
		return mem_string(name + skip);
	for (file = at.file + at.file_n; file > at.file && file[-1] != '/'; file--)
		;
	return mem_printf("%.*s, %.*s:%u", (int)(n - skip), name + skip,
			  (int)(at.file + at.file_n - file), file, at.line);
}

static void picture(FILE *f, const struct timeline *s, size_t top, int samples, const char *name)
{
	const struct svg_style head = {.size = 24, .bold = 1, .colour = SVG_INK, .anchor = "start"},
			       sub = {.size = 15,
				      .colour = SVG_SOFT,
				      .anchor = "start",
				      .room = 1180};
	int timed = timeline_in_order(s);
	const char *metric = s->counts,
		   *title = samples  ? "What the samples found, window by window"
			    : metric ? "Counts by window"
				     : "Time by window";
	char *left = samples || !s->idle_most
			     ? NULL
			     : mem_printf(" but %u in no region", s->idle_most);
	const char *more = !samples && s->left_out ? "; --samples shows the samples in it" : "";
	char *line = mem_printf("%s: share of %s%s in %s%zu window%s, over all threads%s%s", name,
				samples && !metric ? "the sampled CPU time" : "exclusive ",
				metric	  ? metric
				: samples ? ""
					  : "time",
				s->window_n == 1 ? "" : "each of ", s->window_n,
				plural(s->window_n), left ? left : "", more);

	svg_begin(f, WIDTH, HEIGHT, title);
	svg_text(f, LEFT, 48, &head, title);
	svg_headline(f, LEFT, 76, &sub, line);
	areas(f, s, top, timed);
	x_axis(f, s, timed);
	y_axis(f);
	for (size_t i = 0; i <= top && i <= s->region_n; i++) {
		const struct svg_style label = {.size = 14,
						.colour = SVG_INK,
						.anchor = "start",
						.room = WIDTH - LABEL - 40};
		double y = BOTTOM - 8 - (double)i * 30;
		char *text;

		if (i == top && s->region_n <= top)
			break;
		fprintf(f, "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\"/>\n",
			LABEL, y - 12, i < top ? svg_palette[i] : SVG_GREY);
		text = label_of(i < top ? s->region[i].name : "others");
		svg_text(f, LABEL + 22, y, &label, text);
		free(text);
	}
	svg_end(f);
	free(left);
	free(line);
}

static int report_series(const struct report_options *o, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e)
{
	const struct timeline *s = r->series;
	size_t top;
	int rc = 0;

	if (o->samples && !s->region_n) {
		rc = error_set(e, ERROR_INPUT,
			       "%s: it contains no samples. Try: tau-record --sample",
			       r->run[0].name);
	} else if (o->format == REPORT_SVG) {
		top = o->top > 0 && o->top < TOP_SVG ? (size_t)o->top : TOP_SVG;
		picture(out->file, s, top < s->region_n ? top : s->region_n, o->samples,
			r->run[0].title);
	} else {
		top = report_rows_shown(o, s->region_n, TOP_TEXT);
		report_table(series_table(s, top, o->samples, r), o, out->file, width);
	}
	return rc;
}

const struct report_kind kind_series = {
	.name = "series",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "time per region, window by window",
	.question = QUESTION_TIME,
	.example = "--slices 50 -f svg -o series.svg run",
	.print = report_series,
	.options = REPORT_PICK "samples windows every slices threads",
};
