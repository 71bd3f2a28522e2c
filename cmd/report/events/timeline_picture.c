/* timeline_picture.c: the picture of tau-report timeline: rows of threads, colours of groups or
 * regions. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/messages/activity.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"
#include "cmd/report/events/timeline_calls.h"
#include "cmd/report/events/timeline_rows.h"
#include "cmd/report/report.h"
#include "convert/io/paths.h"
#include "convert/profile_format.h"

#define LEFT   96
#define TOP    112
#define WIDTH  1280
#define LABEL  1080
#define BOTTOM 64
#define QUEUE  230 /* more on the left, for names of queues of devices */

#define THIN   4 /* bars of at most that height are lines */
#define CLOSE  3 /* lines of messages that are fewer pixels apart cannot be distinguished */
#define MOMENTS_DRAWN 2000 /* the first ones */
#define CELLS  960 /* pixels of all cells, unless there are more cells */

struct timeline_place {
	double row, bar, x; /* heights of a row and of its bar, width of a cell */
	double step;	    /* of heights inside a bar */
	int left;	    /* of the first cell */
};

/* Where a category is in the bar, in steps. */
struct band {
	int from, to;
};

static const char *colour_of(const struct timeline_rows *x, size_t category)
{
	int own = category < SVG_COLOURS && category < x->category_n;

	return own ? svg_palette[category] : SVG_GREY;
}

/*
 * The edges of the categories in a cell, in steps from the top of the bar. Sums are rounded, so
 * colours never exceed the bar, and there is no gap between them.
 */
static void edges(const struct timeline_rows *x, size_t row, const struct activity *a, size_t cell,
		  const struct timeline_place *p, int out[CATEGORIES + 1])
{
	const int64_t *ns = x->row[row].ns + cell * x->category_n;
	/* Streams that share a row share its height, too. */
	double length = (double)(activity_edge(a, cell + 1) - activity_edge(a, cell));
	double all = 0, sum = 0;

	for (size_t k = 0; k < x->category_n; k++)
		all += (double)ns[k];
	length = all > length ? all : length;
	out[0] = 0;
	for (size_t k = 0; k < x->category_n; k++) {
		sum += (double)ns[k];
		out[k + 1] = length > 0 ? (int)rint(p->bar / p->step * sum / length) : 0;
	}
}

/* Cells that look the same are one shape: the end of those that begin at c. */
static size_t run_end(const struct band *band, size_t cell_n, size_t c)
{
	size_t end = c + 1;

	while (end < cell_n && band[end].from == band[c].from && band[end].to == band[c].to)
		end++;
	return end;
}

/* All shapes of one category are a path of rectangles, each with its place relative to the one
 * before. */
static void draw_rectangles(FILE *f, const char *colour, const struct band *band, size_t cell_n,
			    double y, const struct timeline_place *p)
{
	size_t at = 0;
	int top = 0, any = 0;

	for (size_t c = 0, end; c < cell_n; c = end) {
		end = run_end(band, cell_n, c);
		if (band[c].to <= band[c].from)
			continue;
		if (!any++)
			fprintf(f, "<path fill=\"%s\" d=\"M%d %g", colour, p->left, y);
		fprintf(f, "m%g %gh%gv%gh-%gz", (double)(c - at) * p->x,
			(band[c].from - top) * p->step, (double)(end - c) * p->x,
			(band[c].to - band[c].from) * p->step, (double)(end - c) * p->x);
		at = c;
		top = band[c].from;
	}
	if (any)
		fputs("\"/>\n", f);
}

/* Thin rows have few heights: shapes of the same one are the dashes of a line, which takes half the
 * bytes. */
static void draw_dashes(FILE *f, const char *colour, const struct band *band, size_t cell_n,
			const struct band *as, double y, const struct timeline_place *p)
{
	double height = (as->to - as->from) * p->step;
	size_t at = 0;
	int any = 0;

	for (size_t c = 0, end; c < cell_n; c = end) {
		end = run_end(band, cell_n, c);
		if (band[c].from != as->from || band[c].to != as->to)
			continue;
		if (!any++)
			fprintf(f, "<path stroke=\"%s\" stroke-width=\"%g\" d=\"M%g %g", colour,
				height, p->left + (double)c * p->x,
				y + as->from * p->step + height / 2);
		else
			fprintf(f, "m%g 0", (double)(c - at) * p->x);
		fprintf(f, "h%g", (double)(end - c) * p->x);
		at = end;
	}
	if (any)
		fputs("\"/>\n", f);
}

static void draw_row(FILE *f, const struct timeline_rows *x, const struct activity *a, size_t row,
		     const struct timeline_place *p)
{
	double y = TOP + (double)row * p->row;
	struct band *band = mem_alloc(a->cell_n * sizeof(*band));
	int edge[CATEGORIES + 1], thin = p->bar <= THIN, most = (int)(p->bar / p->step);

	for (size_t k = 0; k < x->category_n; k++) {
		for (size_t c = 0; c < a->cell_n; c++) {
			edges(x, row, a, c, p, edge);
			band[c] = (struct band){edge[k], edge[k + 1]};
		}
		if (!thin)
			draw_rectangles(f, colour_of(x, k), band, a->cell_n, y, p);
		for (struct band as = {0}; thin && as.from < most; as.from++)
			for (as.to = as.from + 1; as.to <= most; as.to++)
				draw_dashes(f, colour_of(x, k), band, a->cell_n, &as, y, p);
	}
	free(band);
}

/* A line from one row to another; x and y: its ends. */
struct picture_line {
	uint32_t from, to;
	double x[2], y[2];
};

/* 0: the message has no line. */
static int line_of(const struct timeline_rows *x, const struct activity *a,
		   const struct timeline_place *p, size_t i, struct picture_line *out)
{
	const struct activity_message *m = &a->message[i];
	const double scale = (double)a->cell_n * p->x / (double)(a->end - a->begin);
	const int64_t sent = m->sent > a->begin ? m->sent : a->begin;

	*out = (struct picture_line){.from = x->row_of[m->from], .to = x->row_of[m->to]};
	if (out->from == TRACE_NONE || out->to == TRACE_NONE || out->from == out->to)
		return 0;
	out->x[0] = (double)(sent - a->begin) * scale;
	out->x[1] = (double)(m->received - a->begin) * scale;
	out->y[0] = out->from * p->row + p->bar / 2;
	out->y[1] = out->to * p->row + p->bar / 2;
	return 1;
}

static size_t pixels_of(const struct activity *a, const struct timeline_place *p)
{
	return (size_t)ceil((double)a->cell_n * p->x);
}

/*
 * Marks where the line is between each two rows that it crosses, up and down apart. Returns 0, with
 * nothing marked, if it is next to lines before it on more than half of its way.
 */
static int line_fits(size_t pixels, const struct picture_line *l, unsigned char *taken)
{
	const int down = l->to > l->from;
	const uint32_t first = down ? l->from : l->to, last = down ? l->to : l->from;
	const int room = (int)pixels - 1;
	uint32_t near = 0;

	for (int mark = 0; mark < 2; mark++)
		for (uint32_t gap = first; gap < last; gap++) {
			double part = (gap - first + 0.5) / (last - first);
			int at = (int)(l->x[!down] + (l->x[down] - l->x[!down]) * part);
			unsigned char *row = &taken[(2 * (size_t)gap + (size_t)down) * pixels];

			at = at < 0 ? 0 : at > room ? room : at;
			for (int k = at - CLOSE; !mark && k <= at + CLOSE; k++)
				if (k >= 0 && k <= room && row[k]) {
					near++;
					break;
				}
			if (mark)
				row[at] = 1;
			else if (2 * near > last - first)
				return 0;
		}
	return 1;
}

/* Chooses the lines that can be distinguished. Returns their number; *all: of those that there are.
 */
static size_t choose_lines(const struct timeline_rows *x, const struct activity *a,
			   const struct timeline_place *p, unsigned char *drawn, size_t *all)
{
	const size_t pixels = pixels_of(a, p);
	unsigned char *taken = mem_alloc(2 * (x->row_n + 1) * pixels);
	struct picture_line l;
	size_t n = 0;

	*all = 0;
	for (size_t i = 0; i < a->message_n; i++) {
		if (!line_of(x, a, p, i, &l))
			continue;
		drawn[i] = (unsigned char)line_fits(pixels, &l, taken);
		n += drawn[i];
		++*all;
	}
	free(taken);
	return n;
}

static void draw_messages(FILE *f, const struct timeline_rows *x, const struct activity *a,
			  const struct timeline_place *p, const unsigned char *drawn)
{
	struct picture_line l;

	fprintf(f, "<g stroke=\"%s\" stroke-width=\"0.8\" stroke-opacity=\"0.7\">\n", SVG_INK);
	for (size_t i = 0; i < a->message_n; i++)
		if (drawn[i] && line_of(x, a, p, i, &l))
			fprintf(f, "<path d=\"M%.2f %.2fL%.2f %.2f\"/>\n", p->left + l.x[0],
				TOP + l.y[0], p->left + l.x[1], TOP + l.y[1]);
	fputs("</g>\n", f);
}

/* ---- marks and gaps ---- */

/* How far from the left a time is drawn. */
static double moment_at(const struct activity *a, const struct timeline_place *p, int64_t t)
{
	const double share = (double)(t - a->begin) / (double)(a->end - a->begin);

	return p->left + fmin(1, fmax(0, share)) * (double)a->cell_n * p->x;
}

static void draw_gap(FILE *f, double y, double from, double to, const struct timeline_place *p)
{
	fprintf(f,
		"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"url(#gap)\" "
		"stroke=\"%s\" stroke-width=\"0.8\">",
		from, y, fmax(1, to - from), p->bar, SVG_INK);
}

/* A flag, a square, or for a signal a cross, on a line through the row. */
static void draw_mark(FILE *f, double y, double x, enum moment_kind kind,
		      const struct timeline_place *p)
{
	const double s = fmax(2, fmin(8, p->bar / 2));

	fprintf(f, "<path fill=\"%s\" stroke=\"%s\" d=\"M%.2f %.2fv%.2fv-%.2f", SVG_INK, SVG_INK, x,
		y, p->bar, p->bar);
	if (kind == MOMENT_SIGNAL)
		fprintf(f, "m-%.2f 0l%.2f %.2fm0 -%.2fl-%.2f %.2f\">", s / 2, s, s, s, s, s);
	else if (kind == MOMENT_SNAPSHOT)
		fprintf(f, "h%.2fv%.2fh-%.2fz\">", s, s, s);
	else
		fprintf(f, "l%.2f %.2fl-%.2f %.2fz\">", s, s / 2, s, s / 2);
}

/* What it is and when, and beside a mark its name, if the row is high enough and the name before
 * does not reach there. */
static void draw_moment(FILE *f, const struct stream_moment *m, const struct report_trace *r,
			const struct activity *a, double y, const struct timeline_place *p,
			double *used)
{
	const struct svg_style label = {.size = 11, .colour = SVG_INK, .anchor = "start"};
	const double x = moment_at(a, p, m->begin), to = moment_at(a, p, m->end);
	char *name = timeline_moment_name(r->trace, m), *words, text[QUANTITY_TEXT];

	words = m->kind == MOMENT_LOST
			? mem_printf("%" PRIi64 " %s", m->number, timeline_moment_kind(m))
			: mem_printf("%s%s%s", timeline_moment_kind(m), *name ? " " : "", name);
	if (m->kind == MOMENT_OFF || m->kind == MOMENT_LOST)
		draw_gap(f, y, x, to, p);
	else
		draw_mark(f, y, x, m->kind, p);
	fputs("<title>", f);
	svg_escaped(f, words);
	fprintf(f, ", %s", report_moment(r->o, (double)m->begin, text));
	if (m->end > m->begin)
		fprintf(f, " to %s", report_moment(r->o, (double)m->end, text));
	fprintf(f, "</title></%s>\n",
		m->kind == MOMENT_OFF || m->kind == MOMENT_LOST ? "rect" : "path");
	if (*name && p->bar >= 14 && x + 10 >= *used &&
	    x < p->left + (double)a->cell_n * p->x - 60) {
		fprintf(f,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%zu\" height=\"12\" fill=\"#fff\" "
			"fill-opacity=\"0.85\"/>\n",
			x + 9, y, 7 * strlen(name) + 2);
		svg_text(f, x + 10, y + 10, &label, name);
		*used = x + 10 + 7 * (double)strlen(name);
	}
	free(words);
	free(name);
}

static void draw_moments(FILE *f, const struct timeline_rows *x, const struct report_trace *r,
			 const struct activity *a, const struct stream_moments *m,
			 const struct timeline_place *p)
{
	double *used = mem_alloc((x->row_n + 1) * sizeof(*used));

	if (m->v_n)
		fprintf(f,
			"<defs><pattern id=\"gap\" width=\"6\" height=\"6\" "
			"patternUnits=\"userSpaceOnUse\"><rect "
			"width=\"6\" height=\"6\" fill=\"#fff\" fill-opacity=\"0.5\"/><path "
			"d=\"M0 0l6 6M6 0l-6 6\" stroke=\"%s\" "
			"stroke-width=\"0.8\"/></pattern></defs>\n",
			SVG_INK);
	for (size_t i = 0; i < m->v_n && i < MOMENTS_DRAWN; i++) {
		const uint32_t row = x->row_of[m->v[i].stream];

		if (row != TRACE_NONE)
			draw_moment(f, &m->v[i], r, a, TOP + (double)row * p->row, p, &used[row]);
	}
	free(used);
}

static void draw_axis(FILE *f, const struct activity *a, const struct timeline_place *p, double y)
{
	struct axis axis = {.low = (double)a->begin,
			    .high = (double)a->end,
			    .from = p->left,
			    .to = p->left + (double)a->cell_n * p->x,
			    .at = y};

	axis_times(&axis, f);
	axis_title(&axis, "time since the start of the run", f);
}

static void draw_legend(FILE *f, const struct timeline_rows *x, const struct timeline_words *words,
			const struct timeline_place *p, int lines,
			const struct stream_moments *moments)
{
	const int at = LABEL + p->left - LEFT;
	const struct svg_style label = {
		.size = 14, .colour = SVG_INK, .anchor = "start", .room = WIDTH - LABEL - 40};
	const struct svg_style soft = {.size = 13, .colour = SVG_SOFT, .anchor = "start"};
	double y = TOP + 12;

	for (size_t k = 0; k < x->category_n; k++, y += 24) {
		fprintf(f,
			"<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\"/>\n",
			at, y - 12, colour_of(x, k));
		svg_text(f, at + 22, y, &label, x->category[k].name);
	}
	svg_text(f, at, y, &soft, words->blank);
	if (lines)
		svg_text(f, at, y += 20, &soft, words->lines);
	if (moments->v_n > MOMENTS_DRAWN) {
		char *some = mem_printf("the first %d of %zu marks and gaps", MOMENTS_DRAWN,
					moments->v_n);

		svg_text(f, at, y + 20, &soft, some);
		free(some);
	} else if (moments->v_n) {
		svg_text(f, at, y + 20, &soft, "flags: marks; hatched: not recorded");
	}
}

static void draw_names(FILE *f, const struct timeline_rows *x, const struct timeline_place *p)
{
	const struct svg_style name = {
		.size = 12, .colour = SVG_SOFT, .anchor = "end", .room = p->left - 12};
	size_t step = 1;

	/* Ranks of a node are mostly a power of two. */
	while ((double)step * p->row < 14)
		step *= 2;
	for (size_t i = 0; i < x->row_n; i += step) {
		const struct timeline_row *r = &x->row[i];
		char *text = r->queue ? mem_printf("%s %s", r->name, r->queue) : NULL;

		svg_text(f, p->left - 8, TOP + (double)i * p->row + p->bar / 2 + 4, &name,
			 text ? text : r->name);
		free(text);
	}
}

void timeline_picture(FILE *f, const struct timeline_rows *x, const struct report_trace *r,
		      const struct activity *a, const struct stream_moments *moments,
		      const struct timeline_words *words)
{
	const struct svg_style head = {.size = 24, .bold = 1, .colour = SVG_INK, .anchor = "start"};
	const struct svg_style sub = {
		.size = 15, .colour = SVG_SOFT, .anchor = "start", .room = WIDTH - LEFT - 40};
	int lines = a->message_n && a->message_n <= ACTIVITY_MESSAGES && x->per == 1;
	struct timeline_place p = {.x = a->cell_n < CELLS ? (double)CELLS / (double)a->cell_n : 1};
	unsigned char drawn[ACTIVITY_MESSAGES] = {0};
	size_t shown, all;
	char *name = path_name(r->trace->path), *line, *messages = NULL, *rows = NULL;

	p.row = fmax(2, fmin(28, floor(640.0 / (double)(x->row_n ? x->row_n : 1))));
	p.bar = p.row > 4 ? p.row - 2 : p.row;
	p.step = p.bar <= THIN ? 1 : 0.5;
	p.left = LEFT + (x->queues && x->per == 1 ? QUEUE : 0);
	if (a->message_n && !lines)
		messages = mem_printf("%" PRIu64 " lines between rows, too many to draw",
				      a->message_n);
	shown = lines ? choose_lines(x, a, &p, drawn, &all) : 0;
	if (lines && shown < all)
		messages = mem_printf("%zu of %zu lines are drawn, others are too close to them",
				      shown, all);
	if (x->per > 1)
		rows = mem_printf("each row is %zu of %zu threads%s", x->per, x->streams,
				  x->queues ? " and queues of devices" : "");
	line = mem_printf("%s: %s%s; %s", name, rows ? rows : "rows are PEs and threads",
			  x->queues && !rows ? ", and queues of devices" : "", words->colours);
	svg_begin(f, WIDTH + p.left - LEFT, TOP + fmax(160, (double)x->row_n * p.row) + BOTTOM,
		  words->title);
	svg_text(f, LEFT, 44, &head, words->title);
	svg_headline(f, LEFT, 72, &sub, line);
	if (messages)
		svg_headline(f, LEFT, 94, &sub, messages);
	/* A browser that scales the picture would draw seams between thin rows. */
	fputs(p.bar <= THIN ? "<g shape-rendering=\"crispEdges\">\n" : "<g>\n", f);
	for (size_t i = 0; i < x->row_n; i++)
		draw_row(f, x, a, i, &p);
	fputs("</g>\n", f);
	if (lines)
		draw_messages(f, x, a, &p, drawn);
	draw_moments(f, x, r, a, moments, &p);
	draw_names(f, x, &p);
	draw_axis(f, a, &p, TOP + (double)x->row_n * p.row + 4);
	draw_legend(f, x, words, &p, lines, moments);
	svg_end(f);
	free(messages);
	free(rows);
	free(line);
	free(name);
}
