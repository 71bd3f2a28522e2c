/* timeline_picture.c: the picture of tau-report timeline: rows of threads, colours of groups or regions. */
#include <inttypes.h>
#include <math.h>

#include "cmd/report/timeline_rows.h"
#include "convert/profile_format.h"

#define LEFT   96
#define TOP    112
#define WIDTH  1280
#define LABEL  1080
#define BOTTOM 64

struct place {
	double row, bar, x; /* heights of a row and of its bar, width of a cell */
};

static const char *colour_of(const struct timeline_rows *x, size_t category)
{
	int own = category < SVG_COLOURS && category < x->category_n;

	return own ? svg_palette[category] : SVG_GREY;
}

/* The heights of the categories in a cell, in pixels or halves of them; together at most the bar. */
static void heights(const struct timeline_row *r, const struct activity *a, size_t cell,
		    const struct place *p, double out[CATEGORIES])
{
	/* Streams that share a row share its height, too. */
	double length = (double)(activity_edge(a, cell + 1) - activity_edge(a, cell));
	double all = 0;

	for (size_t k = 0; k < a->category_n; k++)
		all += (double)r->ns[cell * a->category_n + k];
	length = all > length ? all : length;
	for (size_t k = 0; k < a->category_n; k++)
		out[k] = length > 0 ? rint(2 * p->bar * (double)r->ns[cell * a->category_n + k] /
					   length) / 2
				    : 0;
}

static int same(const double *a, const double *b, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (a[k] != b[k])
			return 0;
	return 1;
}

/* Cells that look the same are one shape; each category is one path. */
static void draw_row(FILE *f, const struct timeline_rows *x, const struct activity *a, size_t row,
		     const struct place *p)
{
	const struct timeline_row *r = &x->row[row];
	double y = TOP + (double)row * p->row, h[CATEGORIES], next[CATEGORIES];

	for (size_t k = 0; k < a->category_n; k++) {
		int any = 0;

		for (size_t c = 0, run; c < a->cell_n; c += run) {
			double below = 0;

			heights(r, a, c, p, h);
			for (run = 1; c + run < a->cell_n; run++) {
				heights(r, a, c + run, p, next);
				if (!same(h, next, a->category_n))
					break;
			}
			for (size_t i = 0; i < k; i++)
				below += h[i];
			if (h[k] <= 0)
				continue;
			if (!any)
				fprintf(f, "<path fill=\"%s\" d=\"", colour_of(x, k));
			any = 1;
			fprintf(f, "M%.6g %.6gh%.6gv%.6gh%.6gz", LEFT + (double)c * p->x, y + below,
				(double)run * p->x, h[k], -(double)run * p->x);
		}
		if (any)
			fputs("\"/>\n", f);
	}
}

static void draw_messages(FILE *f, const struct timeline_rows *x, const struct activity *a,
			  const struct place *p)
{
	double scale = (double)a->cell_n * p->x / (double)(a->end - a->begin);

	fprintf(f, "<g stroke=\"%s\" stroke-width=\"0.8\" stroke-opacity=\"0.7\">\n", SVG_INK);
	for (size_t i = 0; i < a->message_n; i++) {
		const struct activity_message *m = &a->message[i];
		uint32_t from = x->row_of[m->from], to = x->row_of[m->to];
		int64_t sent = m->sent > a->begin ? m->sent : a->begin;

		if (from == TRACE_NONE || to == TRACE_NONE || from == to)
			continue;
		fprintf(f, "<path d=\"M%.2f %.2fL%.2f %.2f\"/>\n",
			LEFT + (double)(sent - a->begin) * scale,
			TOP + from * p->row + p->bar / 2,
			LEFT + (double)(m->received - a->begin) * scale,
			TOP + to * p->row + p->bar / 2);
	}
	fputs("</g>\n", f);
}

/* 1, 2 or 5 times a power of ten, for at most eight steps. */
static double round_step(double whole)
{
	double step = pow(10, floor(log10(whole / 8)));
	double steps = whole / step;

	return step * (steps > 40 ? 10 : steps > 16 ? 5 : steps > 8 ? 2 : 1);
}

static void draw_axis(FILE *f, const struct activity *a, double y, double width)
{
	const struct svg_style tick = {.size = 13, .colour = SVG_SOFT, .anchor = "middle"};
	double first = (double)a->begin / 1e6, last = (double)a->end / 1e6;
	double unit = last >= 1e4 ? 1e3 : 1, step;
	char text[64];

	first /= unit;
	last /= unit;
	step = round_step(last > first ? last - first : 1);
	for (double v = ceil(first / step) * step; v <= last; v += step) {
		double x = LEFT + (v - first) / (last - first) * width;

		fprintf(f, "<path d=\"M%.1f %.1fv6\" stroke=\"%s\"/>\n", x, y, SVG_GREY);
		snprintf(text, sizeof(text), unit > 1 ? "%.8g s" : "%.8g ms",
			 fabs(v) < step / 2 ? 0 : v);
		svg_text(f, x, y + 22, &tick, text);
	}
	svg_text(f, LEFT + width / 2, y + 44, &tick, "time since the start of the run");
}

static void draw_legend(FILE *f, const struct timeline_rows *x, const struct timeline_words *words,
			int lines)
{
	const struct svg_style label = {
		.size = 14, .colour = SVG_INK, .anchor = "start", .room = WIDTH - LABEL - 40};
	const struct svg_style soft = {.size = 13, .colour = SVG_SOFT, .anchor = "start"};
	double y = TOP + 12;

	for (size_t k = 0; k < x->category_n; k++, y += 24) {
		fprintf(f,
			"<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"14\" fill=\"%s\"/>\n",
			LABEL, y - 12, colour_of(x, k));
		svg_text(f, LABEL + 22, y, &label, x->category[k].name);
	}
	svg_text(f, LABEL, y, &soft, words->blank);
	if (lines)
		svg_text(f, LABEL, y + 20, &soft, words->lines);
}

static void draw_names(FILE *f, const struct timeline_rows *x, const struct place *p)
{
	const struct svg_style name = {.size = 12, .colour = SVG_SOFT, .anchor = "end"};
	size_t step = (size_t)ceil(14 / p->row);

	for (size_t i = 0; i < x->row_n; i += step ? step : 1)
		svg_text(f, LEFT - 8, TOP + (double)i * p->row + p->bar / 2 + 4, &name,
			 x->row[i].name);
}

void timeline_picture(FILE *f, const struct timeline_rows *x, const struct report_trace *r,
		      const struct activity *a, const struct timeline_words *words)
{
	const struct svg_style head = {.size = 24, .bold = 1, .colour = SVG_INK, .anchor = "start"};
	const struct svg_style sub = {
		.size = 15, .colour = SVG_SOFT, .anchor = "start", .room = WIDTH - LEFT - 40};
	int lines = a->message_n && a->message_n <= ACTIVITY_MESSAGES && x->per == 1;
	struct place p = {.x = 1};
	char *name = profile_name_of(r->trace->path), *line, *messages = NULL;

	p.row = fmax(2, fmin(28, floor(640.0 / (double)(x->row_n ? x->row_n : 1))));
	p.bar = p.row > 4 ? p.row - 2 : p.row;
	if (a->message_n && !lines)
		messages = mem_printf("; %" PRIu64 " lines, too many to draw", a->message_n);
	line = mem_printf("%s: rows are PEs and threads; %s%s", name, words->colours,
			  messages ? messages : "");
	svg_begin(f, WIDTH, TOP + fmax(160, (double)x->row_n * p.row) + BOTTOM, words->title);
	svg_text(f, LEFT, 44, &head, words->title);
	svg_text(f, LEFT, 72, &sub, line);
	for (size_t i = 0; i < x->row_n; i++)
		draw_row(f, x, a, i, &p);
	if (lines)
		draw_messages(f, x, a, &p);
	draw_names(f, x, &p);
	draw_axis(f, a, TOP + (double)x->row_n * p.row + 4, (double)a->cell_n * p.x);
	draw_legend(f, x, words, lines);
	svg_end(f);
	free(messages);
	free(line);
	free(name);
}
