/* chart.c: draws the picture of chart.h: places axes, lines, labels and bars on a 16:9 canvas. */
#include "cmd/picture/chart.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"

/* The canvas, in SVG user units. */
#define WIDTH 1280
#define HEIGHT 720
#define LEFT 96		/* of the plot of the lines */
#define RIGHT 536
#define TOP 168		/* of both plots */
#define BOTTOM 606
#define LABEL 560	/* left edge of the lines' labels */
#define LABEL_WIDTH 292
#define BARS 884	/* left edge of the bars */
#define BARS_WIDTH 348
#define BAR_LENGTH 212	/* of the longest bar; its note follows it */

#define GRIDLINES_MAX 8
#define LABEL_LINE 17	/* of a label, which has one to four; less where they have no room */
#define LABEL_GAP 6

/* Both are logarithmic. */
struct scale {
	struct axis x, y;
};

static double place_x(const struct scale *s, double x)
{
	return axis_place(&s->x, x);
}

static double place_y(const struct scale *s, double y)
{
	return axis_place(&s->y, y);
}

/* ---- axes ---- */

static void cover(struct axis *a, const double *y, size_t n)
{
	for (size_t i = 0; y && i < n; i++)
		if (y[i] > 0 && isfinite(y[i])) {
			a->low = fmin(a->low, y[i]);
			a->high = fmax(a->high, y[i]);
		}
}

/* The exponent between grid lines: 2^step; the axis gets a little air, then whole steps. */
static int step_make(struct axis *y)
{
	double low = log2(y->low), high = log2(y->high);
	int step = 1;

	while (high - low > step * (GRIDLINES_MAX - 1))
		step *= 2;
	y->low = exp2(floor((low - 0.2) / step) * step);
	y->high = exp2(ceil((high + 0.2) / step) * step);
	return step;
}

/* Returns the exponent between grid lines. */
static int scale_make(const struct chart *c, struct scale *s)
{
	double most = c->beyond_n ? c->beyond_x[c->beyond_n - 1] : c->x[c->x_n - 1];

	s->y = (struct axis){.low = INFINITY,
			     .from = BOTTOM,
			     .to = TOP,
			     .logarithmic = true,
			     .upright = true,
			     .at = LEFT,
			     .grid = RIGHT,
			     .size = 14};
	for (size_t i = 0; i < c->line_n; i++) {
		cover(&s->y, c->line[i].y, c->x_n);
		cover(&s->y, c->line[i].beyond, c->beyond_n);
		cover(&s->y, c->line[i].high, c->beyond_n);
	}
	if (s->y.high < s->y.low)
		s->y.low = s->y.high = 1024;
	/* Points are not drawn on the frame. */
	s->x = (struct axis){.low = c->x[0] * pow(most / c->x[0], -0.06),
			     .high = most,
			     .from = LEFT,
			     .to = RIGHT,
			     .logarithmic = true,
			     .at = BOTTOM,
			     .size = 15};
	return step_make(&s->y);
}

static void print_x_tick(struct scale *s, double x, enum axis_look look, FILE *f)
{
	char text[AXIS_TEXT];

	snprintf(text, sizeof(text), "%.10g", x);
	axis_mark(&s->x, x, text, look, f);
}

/* The most important first. */
static void print_x_axis(const struct chart *c, struct scale *s, FILE *f)
{
	for (size_t i = 0; i < c->mark_n; i++) {
		print_x_tick(s, c->mark[i], AXIS_WEAK, f);
		fprintf(f,
			"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" "
			"stroke-dasharray=\"2 4\"/>\n",
			place_x(s, c->mark[i]), TOP, place_x(s, c->mark[i]), BOTTOM, SVG_GREY);
	}
	if (c->x_n)
		print_x_tick(s, c->x[c->x_n - 1], AXIS_STRONG, f);
	for (size_t i = 0; i < c->x_n; i++)
		print_x_tick(s, c->x[i], AXIS_STRONG, f);
	for (double x = exp2(ceil(log2(c->x[c->x_n - 1]))); c->beyond_n > 1 && x <= s->x.high;
	     x *= 2)
		print_x_tick(s, x, AXIS_WEAK, f);
	axis_line(&s->x, f);
	axis_title(&s->x, c->x_title, f);
}

/* Whole powers of two: no decimals. */
static const char *size_words(const void *of __attribute__((unused)), double bytes,
			      char to[AXIS_TEXT])
{
	char *dot, *unit;

	quantity_size_text(bytes, to);
	dot = strchr(to, '.');
	unit = strchr(to, ' ');
	if (dot && bytes >= 1)
		memmove(dot, unit, strlen(unit) + 1);
	return to;
}

static void print_axes(const struct chart *c, struct scale *s, int step, FILE *f)
{
	const struct svg_style tag = {13, 0, SVG_GREY, "end", 0};
	double from = place_x(s, c->x[c->x_n - 1]);

	if (c->beyond_n > 1) {
		fprintf(f,
			"<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
			"fill=\"#f6f6f6\"/>\n",
			from, TOP, RIGHT - from, BOTTOM - TOP);
		svg_text(f, RIGHT - 6, TOP + 18, &tag, "extrapolated");
	}
	axis_powers(&s->y, step, size_words, NULL, f);
	print_x_axis(c, s, f);
}

/* ---- lines ---- */

static const char *colour_of(const struct chart *c, size_t i)
{
	return c->line[i].grey ? SVG_GREY : svg_palette[i % SVG_COLOURS];
}

static void print_marker(FILE *f, double x, double y, size_t shape, const char *colour)
{
	static const char *const path[] = {
		"M-6,0a6,6 0 1,0 12,0a6,6 0 1,0 -12,0z",
		"M-5.5,-5.5h11v11h-11z",
		"M0,-7L6.5,5H-6.5z",
		"M0,-7.5L7.5,0L0,7.5L-7.5,0z",
		"M0,7L6.5,-5H-6.5z",
		"M-6,-2h4v-4h4v4h4v4h-4v4h-4v-4h-4z",
	};

	fprintf(f,
		"<path transform=\"translate(%.1f,%.1f)\" d=\"%s\" fill=\"%s\" stroke=\"#ffffff\" "
		"stroke-width=\"1.2\"/>\n",
		x, y, path[shape % (sizeof(path) / sizeof(*path))], colour);
}

/* A polyline through what can be drawn; gaps stay gaps. */
static void print_polyline(const struct scale *s, FILE *f, const double *x, const double *y,
			   size_t n, const char *colour, const char *look)
{
	int pen = 0;

	fprintf(f, "<path fill=\"none\" stroke=\"%s\" %s d=\"", colour, look);
	for (size_t i = 0; i < n; i++) {
		if (!(y[i] > 0) || !isfinite(y[i])) {
			pen = 0;
			continue;
		}
		fprintf(f, "%c%.1f,%.1f", pen ? 'L' : 'M', place_x(s, x[i]), place_y(s, y[i]));
		pen = 1;
	}
	fputs("\"/>\n", f);
}

/* Between the ends of the intervals, as far as there are any. */
static void print_band(const struct chart *c, const struct scale *s, const struct chart_line *l,
		       const char *colour, FILE *f)
{
	size_t n = 0;

	if (!l->low || !l->high)
		return;
	while (n < c->beyond_n && l->low[n] > 0 && isfinite(l->high[n]))
		n++;
	if (n < 2)
		return;
	fprintf(f, "<path fill=\"%s\" opacity=\"0.14\" d=\"", colour);
	for (size_t k = 0; k < n; k++)
		fprintf(f, "%c%.1f,%.1f", k ? 'L' : 'M', place_x(s, c->beyond_x[k]),
			place_y(s, l->high[k]));
	while (n--)
		fprintf(f, "L%.1f,%.1f", place_x(s, c->beyond_x[n]),
			fmin(place_y(s, l->low[n]), BOTTOM));
	fputs("z\"/>\n", f);
}

static void print_line(const struct chart *c, const struct scale *s, size_t i, FILE *f)
{
	const struct chart_line *l = &c->line[i];
	const char *colour = colour_of(c, i);

	print_band(c, s, l, colour, f);
	if (l->beyond)
		print_polyline(s, f, c->beyond_x, l->beyond, c->beyond_n, colour,
			       "stroke-width=\"2.4\" stroke-dasharray=\"8 6\" opacity=\"0.65\"");
	print_polyline(s, f, c->x, l->y, c->x_n, colour,
		       l->grey ? "stroke-width=\"2\" stroke-linejoin=\"round\"" :
				 "stroke-width=\"3.2\" stroke-linejoin=\"round\"");
	for (size_t k = 0; k < c->x_n; k++)
		if (l->y[k] > 0 && isfinite(l->y[k]))
			print_marker(f, place_x(s, c->x[k]), place_y(s, l->y[k]), i, colour);
}

/* Lines of the label of a line. */
static size_t label_lines(const struct chart_line *l)
{
	return 1 + !!l->detail + !!l->note + !!l->forecast;
}

struct label {
	size_t line;
	double x, want, at;	/* end of the line; where the label would like to be and where it is */
	double height;
};

static int compare_labels(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return x->want != y->want ? (x->want < y->want ? -1 : 1)
				  : (x->line > y->line) - (x->line < y->line);
}

/* Keeps the order of the lines' ends and pushes labels apart: down first, then back up from the bottom. */
static void spread(struct label *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_labels);
	for (size_t i = 0; i < n; i++) {
		double low = i ? v[i - 1].at + v[i - 1].height / 2 : TOP;

		v[i].at = fmax(v[i].want, low + v[i].height / 2);
	}
	for (size_t i = n; i--;) {
		double high = i + 1 < n ? v[i + 1].at - v[i + 1].height / 2 : BOTTOM + 10;

		v[i].at = fmin(v[i].at, high - v[i].height / 2);
	}
}

/* Where the line ends that the label is about: the model's last value, or the last measured one. */
static int line_end(const struct chart *c, const struct chart_line *l, double *x, double *y)
{
	size_t last = c->x_n, far = l->beyond ? c->beyond_n : 0;

	while (last && !(l->y[last - 1] > 0 && isfinite(l->y[last - 1])))
		last--;
	while (far && !(l->beyond[far - 1] > 0))
		far--;
	if (!last && !far)
		return 0;
	*x = far ? c->beyond_x[far - 1] : c->x[last - 1];
	*y = far ? l->beyond[far - 1] : l->y[last - 1];
	return 1;
}

static size_t labels_make(const struct chart *c, const struct scale *s, struct label *v,
			  double *pitch)
{
	size_t n = 0, lines = 0;

	for (size_t i = 0; i < c->line_n; i++)
		lines += label_lines(&c->line[i]);
	*pitch = fmin(LABEL_LINE,
		      (BOTTOM + 10 - TOP - LABEL_GAP * (double)c->line_n) / fmax(1, (double)lines));

	for (size_t i = 0; i < c->line_n; i++) {
		const struct chart_line *l = &c->line[i];
		double x, y;

		if (!line_end(c, l, &x, &y))
			continue;
		v[n].line = i;
		v[n].x = place_x(s, x);
		v[n].height = *pitch * (double)label_lines(l) + LABEL_GAP;
		v[n++].want = place_y(s, y);
	}
	spread(v, n);
	return n;
}

static void print_labels(const struct chart *c, const struct scale *s, FILE *f)
{
	struct label *v = mem_alloc(c->line_n * sizeof(*v));
	double pitch;
	size_t n = labels_make(c, s, v, &pitch);
	const struct svg_style name = {fmin(14.5, pitch), 1, SVG_INK, "start", LABEL_WIDTH - 22},
			       note = {fmin(13, pitch - 1), 0, SVG_SOFT, "start",
				       LABEL_WIDTH - 22};

	for (size_t i = 0; i < n; i++) {
		const struct chart_line *l = &c->line[v[i].line];
		double y = v[i].at - v[i].height / 2 + LABEL_GAP / 2.0 + 13;

		/* Dots, so that the line to the label does not look like a prediction. */
		fprintf(f,
			"<path fill=\"none\" stroke=\"%s\" stroke-dasharray=\"1 5\" "
			"d=\"M%.1f,%.1fL%d,%.1fL%d,%.1f\"/>\n",
			colour_of(c, v[i].line), v[i].x, v[i].want, RIGHT + 4, v[i].want, LABEL,
			y - 5);
		print_marker(f, LABEL + 8, y - 5, v[i].line, colour_of(c, v[i].line));
		svg_text(f, LABEL + 22, y, &name, l->name);
		if (l->detail)
			svg_text_for(f, LABEL + 22, y += pitch, &note, l->detail, l->whole);
		if (l->note)
			svg_text(f, LABEL + 22, y += pitch, &note, l->note);
		if (l->forecast)
			svg_text(f, LABEL + 22, y + pitch, &note, l->forecast);
	}
	free(v);
}

/* ---- bars ---- */

static void print_bars(const struct chart *c, FILE *f)
{
	const struct svg_style name = {15, 0, SVG_INK, "start", BARS_WIDTH},
			   note = {14, 1, SVG_INK, "start", 0};
	double largest = 0,
	       pitch = c->bar_n ? fmin(60, (double)(BOTTOM - TOP) / (double)c->bar_n) : 0,
	       thick = pitch * 0.36;

	for (size_t i = 0; i < c->bar_n; i++)
		largest = fmax(largest, fabs(c->bar[i].value));
	for (size_t i = 0; i < c->bar_n; i++) {
		const struct chart_bar *b = &c->bar[i];
		const char *colour = b->line < 0 ? SVG_GREY : colour_of(c, (size_t)b->line);
		double long_ = largest > 0 ? fabs(b->value) / largest * BAR_LENGTH : 0,
		       y = TOP + (double)i * pitch;

		svg_text_for(f, BARS, y + 14, &name, b->name, b->whole);
		/* What shrinks is hollow. */
		fprintf(f,
			"<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
			"stroke=\"%s\"/>\n",
			BARS, y + 20, fmax(long_, 1), thick, b->value < 0 ? "#ffffff" : colour,
			colour);
		svg_text(f, BARS + fmax(long_, 1) + 8, y + 20 + thick / 2 + 5, &note, b->note);
	}
}

void chart_print(const struct chart *c, FILE *f)
{
	const struct svg_style title = {32, 1, SVG_INK, "start", WIDTH - 96},
			   subtitle = {18, 0, SVG_SOFT, "start", WIDTH - 96},
			   panel = {17, 1, SVG_INK, "start", BARS_WIDTH},
			   foot = {12, 0, SVG_SOFT, "start", WIDTH - 96};
	struct scale s;
	int step = scale_make(c, &s);

	svg_begin(f, WIDTH, HEIGHT, c->title);
	svg_text(f, 48, 62, &title, c->title);
	svg_headline(f, 48, 96, &subtitle, c->subtitle);
	svg_text(f, 48, TOP - 24, &panel, c->lines_title);
	svg_text(f, BARS, TOP - 24, &panel, c->bars_title);
	print_axes(c, &s, step, f);
	for (size_t i = c->line_n; i--;)
		print_line(c, &s, i, f);
	print_labels(c, &s, f);
	print_bars(c, f);
	if (c->method)
		svg_text(f, 48, HEIGHT - 32, &foot, c->method);
	if (c->foot)
		svg_text(f, 48, HEIGHT - 14, &foot, c->foot);
	svg_end(f);
}
