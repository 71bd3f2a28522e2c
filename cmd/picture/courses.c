/* courses.c: draws values over time, each on a scale of its own. */
#include "cmd/picture/courses.h"

#include <math.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"

#define WIDTH 1280
#define LEFT  470 /* of the lines: their names are on the left */
#define RIGHT 1232
#define TOP   120
#define PITCH 100
#define TALL  72

/* Up to six digits, and all of a large number. */
static const char *number_text(double v, char text[32])
{
	snprintf(text, 32, fabs(v) >= 1e5 && fabs(v) < 1e15 ? "%.0f" : "%.6g", v);
	return text;
}

/* The high end is below the low one if there are no values. */
static struct axis axis_of(const struct courses_line *l, size_t n, double bottom)
{
	struct axis s = {.low = l->from_zero ? 0 : INFINITY,
			 .high = -INFINITY,
			 .from = bottom,
			 .to = bottom - TALL,
			 .upright = true,
			 .at = LEFT,
			 .grid = RIGHT,
			 .room = 90};

	for (size_t i = 0; i < n; i++)
		if (!isnan(l->y[i])) {
			s.low = fmin(s.low, l->y[i]);
			s.high = fmax(s.high, l->y[i]);
		}
	return s;
}

static double x_of(const struct courses *c, double part)
{
	return LEFT + part / (double)c->n * (RIGHT - LEFT);
}

/* A value holds for its part of the time; parts without one are gaps. */
static void line_print(const struct courses *c, const struct courses_line *l,
		       const struct axis *s, const char *colour, FILE *f)
{
	char text[32], from[QUANTITY_TEXT], to[QUANTITY_TEXT];
	int pen = 0;

	fprintf(f, "<path fill=\"none\" stroke-width=\"2.4\" stroke=\"%s\" d=\"", colour);
	for (size_t i = 0; i < c->n; i++) {
		if (!isnan(l->y[i]))
			fprintf(f, "%c%.1f,%.1fH%.1f", pen ? 'L' : 'M', x_of(c, (double)i),
				axis_place(s, l->y[i]), x_of(c, (double)i + 1));
		pen = !isnan(l->y[i]);
	}
	fputs("\"/>\n", f);
	for (size_t i = 0; i < c->n; i++) {
		if (isnan(l->y[i]))
			continue;
		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
			"fill-opacity=\"0\"><title>",
			x_of(c, (double)i), s->to,
			x_of(c, (double)i + 1) - x_of(c, (double)i), TALL);
		svg_escaped(f, quantity_moment_text((double)c->edge[i], from));
		fputs(" to ", f);
		svg_escaped(f, quantity_moment_text((double)c->edge[i + 1], to));
		fprintf(f, ": %s</title></rect>\n", number_text(l->y[i], text));
	}
}

static void panel_print(const struct courses *c, size_t i, FILE *f)
{
	const struct svg_style name = {15, 1, SVG_INK, "start", LEFT - 48 - 100},
			       detail = {12.5, 0, SVG_SOFT, "start", LEFT - 48 - 100};
	const struct courses_line *l = &c->line[i];
	double bottom = TOP + PITCH * (double)i + TALL;
	struct axis s = axis_of(l, c->n, bottom);
	char text[32];

	svg_text(f, 48, bottom - TALL + 26, &name, l->name);
	svg_text(f, 48, bottom - TALL + 46, &detail, l->detail);
	axis_mark(&s, s.low, number_text(s.low, text), AXIS_PLAIN, f);
	if (s.high > s.low)
		axis_mark(&s, s.high, number_text(s.high, text), AXIS_PLAIN, f);
	line_print(c, l, &s, svg_palette[i % SVG_COLOURS], f);
}

static void time_axis(const struct courses *c, double y, FILE *f)
{
	struct axis a = {.low = (double)c->edge[0],
			 .high = (double)c->edge[c->n],
			 .from = LEFT,
			 .to = RIGHT,
			 .at = y};

	axis_line(&a, f);
	axis_times(&a, f);
	axis_title(&a, "time since the start of the run", f);
}

void courses_print(const struct courses *c, FILE *f)
{
	const struct svg_style title = {28, 1, SVG_INK, "start", WIDTH - 96},
			       sub = {15, 0, SVG_SOFT, "start", WIDTH - 96};
	double bottom = TOP + PITCH * (double)c->line_n;

	svg_begin(f, WIDTH, bottom + 64, c->title);
	svg_text(f, 48, 52, &title, c->title);
	svg_headline(f, 48, 82, &sub, c->subtitle);
	for (size_t i = 0; i < c->line_n; i++)
		panel_print(c, i, f);
	time_axis(c, bottom, f);
	svg_end(f);
}

void courses_release(struct courses *c)
{
	for (size_t i = 0; i < c->line_n; i++) {
		free(c->line[i].name);
		free(c->line[i].detail);
		free(c->line[i].y);
	}
	free(c->line);
	free(c->edge);
}
