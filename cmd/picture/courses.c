/* courses.c: draws values over time, each on a scale of its own. */
#include "cmd/picture/courses.h"

#include <math.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/picture/svg.h"

#define WIDTH 1280
#define LEFT  470 /* of the lines: their names are on the left */
#define RIGHT 1232
#define TOP   120
#define PITCH 100
#define TALL  72

struct scale {
	double least, most, bottom; /* bottom: y of the least value */
};

/* Up to six digits, and all of a large number. */
static const char *number_text(double v, char text[32])
{
	snprintf(text, 32, fabs(v) >= 1e5 && fabs(v) < 1e15 ? "%.0f" : "%.6g", v);
	return text;
}

static struct scale scale_of(const struct courses_line *l, size_t n, double bottom)
{
	struct scale s = {l->from_zero ? 0 : INFINITY, -INFINITY, bottom};

	for (size_t i = 0; i < n; i++)
		if (!isnan(l->y[i])) {
			s.least = fmin(s.least, l->y[i]);
			s.most = fmax(s.most, l->y[i]);
		}
	return s;
}

/* A line of equal values is in the middle. */
static double y_of(const struct scale *s, double v)
{
	double range = s->most - s->least;

	return s->bottom - TALL * (range > 0 ? (v - s->least) / range : 0.5);
}

static double x_of(const struct courses *c, double part)
{
	return LEFT + part / (double)c->n * (RIGHT - LEFT);
}

static double ms_of(const struct courses *c, size_t part)
{
	return c->begin + (c->end - c->begin) * (double)part / (double)c->n;
}

/* A value holds for its part of the time; parts without one are gaps. */
static void line_print(const struct courses *c, const struct courses_line *l,
		       const struct scale *s, const char *colour, FILE *f)
{
	char text[32], from[QUANTITY_TEXT], to[QUANTITY_TEXT];
	int pen = 0;

	fprintf(f, "<path fill=\"none\" stroke-width=\"2.4\" stroke=\"%s\" d=\"", colour);
	for (size_t i = 0; i < c->n; i++) {
		if (!isnan(l->y[i]))
			fprintf(f, "%c%.1f,%.1fH%.1f", pen ? 'L' : 'M', x_of(c, (double)i),
				y_of(s, l->y[i]), x_of(c, (double)i + 1));
		pen = !isnan(l->y[i]);
	}
	fputs("\"/>\n", f);
	for (size_t i = 0; i < c->n; i++) {
		if (isnan(l->y[i]))
			continue;
		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
			"fill-opacity=\"0\"><title>",
			x_of(c, (double)i), s->bottom - TALL,
			x_of(c, (double)i + 1) - x_of(c, (double)i), TALL);
		svg_escaped(f, quantity_moment_text(1e6 * ms_of(c, i), from));
		fputs(" to ", f);
		svg_escaped(f, quantity_moment_text(1e6 * ms_of(c, i + 1), to));
		fprintf(f, ": %s</title></rect>\n", number_text(l->y[i], text));
	}
}

static void panel_print(const struct courses *c, size_t i, FILE *f)
{
	const struct svg_style name = {15, 1, SVG_INK, "start", LEFT - 48 - 100},
			       detail = {12.5, 0, SVG_SOFT, "start", LEFT - 48 - 100},
			       tick = {13, 0, SVG_SOFT, "end", 90};
	const struct courses_line *l = &c->line[i];
	double bottom = TOP + PITCH * (double)i + TALL;
	struct scale s = scale_of(l, c->n, bottom);
	char text[32];

	svg_text(f, 48, bottom - TALL + 26, &name, l->name);
	svg_text(f, 48, bottom - TALL + 46, &detail, l->detail);
	for (int k = 0; k < (s.most > s.least ? 2 : 1); k++) {
		double v = k ? s.most : s.least;

		fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", LEFT, y_of(&s, v), RIGHT,
			SVG_FAINT);
		svg_text(f, LEFT - 10, y_of(&s, v) + 4, &tick, number_text(v, text));
	}
	line_print(c, l, &s, svg_palette[i % SVG_COLOURS], f);
}

static void axis_print(const struct courses *c, double y, FILE *f)
{
	const struct svg_style tick = {13, 0, SVG_SOFT, "middle", 0};
	double whole = c->end > c->begin ? c->end - c->begin : 1, step = svg_round_step(whole);
	char text[32];

	fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", LEFT, y, RIGHT, SVG_GREY);
	for (double ms = ceil(c->begin / step) * step; ms <= c->end; ms += step) {
		double x = x_of(c, (double)c->n * (ms - c->begin) / whole);

		fprintf(f, "<path d=\"M%.1f %.1fv6\" stroke=\"%s\"/>\n", x, y, SVG_GREY);
		svg_text(f, x, y + 22, &tick, number_text(fabs(ms) < step / 2 ? 0 : ms, text));
	}
	svg_text(f, (LEFT + RIGHT) / 2.0, y + 46, &tick, "time in ms");
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
	axis_print(c, bottom, f);
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
}
