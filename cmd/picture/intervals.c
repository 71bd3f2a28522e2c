/* intervals.c: draws values with their intervals, one below the other, on one axis. */
#include "cmd/picture/intervals.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"

/* The canvas, in SVG user units. */
#define WIDTH 1280
#define LEFT  48
#define NAMES 330 /* for names */
#define FROM  400 /* of the axis */
#define UNTIL 1000
#define NOTES 1020
#define TOP   128
#define PITCH 42

void intervals_add(struct intervals *x, const struct intervals_row *from)
{
	struct intervals_row *row = array_add(x, row);

	*row = *from;
}

void intervals_release(struct intervals *x)
{
	for (size_t i = 0; i < x->row_n; i++) {
		free(x->row[i].name);
		free(x->row[i].detail);
		free(x->row[i].note);
	}
	free(x->row);
}

static void reach(struct axis *s, double v)
{
	if (!isfinite(v))
		return;
	s->low = fmin(s->low, v);
	s->high = fmax(s->high, v);
}

/* From the least to the largest value, with 0 and some room; an interval may be wider than three times all values: it is cut. */
static struct axis axis_of(const struct intervals *x, double bottom)
{
	struct axis s = {.from = FROM, .to = UNTIL, .at = bottom, .grid = TOP - 8};
	double most;

	for (size_t i = 0; i < x->row_n; i++)
		reach(&s, x->row[i].value);
	reach(&s, x->limit);
	most = 3 * fmax(s.high, -s.low);
	for (size_t i = 0; i < x->row_n; i++) {
		reach(&s, most > 0 ? fmax(x->row[i].low, -most) : x->row[i].low);
		reach(&s, most > 0 ? fmin(x->row[i].high, most) : x->row[i].high);
	}
	if (s.high <= s.low) {
		s.low = -1;
		s.high = 1;
	}
	most = 0.06 * (s.high - s.low);
	s.low -= most;
	s.high += most;
	return s;
}

static double x_of(const struct axis *s, double v)
{
	return fmin(fmax(axis_place(s, v), FROM), UNTIL);
}

static const char *value_words(const void *of, double v, char to[AXIS_TEXT])
{
	const struct intervals *x = of;

	snprintf(to, AXIS_TEXT, "%+.6g %s", v, x->unit);
	return v == 0 ? "0" : to;
}

static void axis_draw(const struct intervals *x, struct axis *s, double bottom, FILE *f)
{
	axis_steps(s, axis_round_step(s->high - s->low), value_words, x, f);
	if (isfinite(x->limit))
		fprintf(f,
			"<path d=\"M%.1f %dV%.1f\" stroke=\"%s\" stroke-width=\"2\" "
			"stroke-dasharray=\"6 4\"/>\n",
			x_of(s, x->limit), TOP - 8, bottom, svg_palette[1]);
}

static void row_print(const struct intervals_row *r, const struct axis *s, double y, FILE *f)
{
	const struct svg_style name = {14.5, 1, SVG_INK, "start", NAMES},
			       detail = {12, 0, SVG_SOFT, "start", NAMES},
			       note = {13, r->strong, SVG_INK, "start", WIDTH - NOTES - 16};
	const char *colour = r->side > 0 ? svg_palette[1] : r->side < 0 ? svg_palette[0] : SVG_GREY;
	double at = y + 18;

	svg_text(f, LEFT, y + 14, &name, r->name);
	svg_text(f, LEFT, y + 30, &detail, r->detail);
	svg_text(f, NOTES, at + 5, &note, r->note);
	if (!isnan(r->low) && !isnan(r->high))
		fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"4\"/>\n",
			x_of(s, r->low), at, x_of(s, r->high), colour);
	if (!isnan(r->value))
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"%s\"/>\n",
			x_of(s, r->value), at, colour);
}

void intervals_print(const struct intervals *x, FILE *f)
{
	const struct svg_style title = {28, 1, SVG_INK, "start", WIDTH - 96},
			       sub = {15, 0, SVG_SOFT, "start", WIDTH - 96},
			       foot = {12, 0, SVG_SOFT, "start", WIDTH - 96};
	double bottom = TOP + PITCH * (double)x->row_n;
	struct axis s = axis_of(x, bottom);

	svg_begin(f, WIDTH, bottom + 68, x->title);
	svg_headline(f, LEFT, 52, &title, x->title);
	svg_headline(f, LEFT, 82, &sub, x->subtitle);
	axis_draw(x, &s, bottom, f);
	for (size_t i = 0; i < x->row_n; i++)
		row_print(&x->row[i], &s, TOP + PITCH * (double)i, f);
	if (x->foot)
		svg_text(f, LEFT, bottom + 50, &foot, x->foot);
	svg_end(f);
}
