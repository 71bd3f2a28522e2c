/* axis.c: scales and marks of the axes of all charts. */
#include "cmd/picture/axis.h"

#include <math.h>

#include "analyze/base/quantity.h"
#include "cmd/picture/svg.h"

#define SIZE	    13	 /* of labels */
#define TICK	    6	 /* length */
#define GAP	    10	 /* between the axis and labels on its left */
#define BELOW	    7	 /* between grid lines and labels below */
#define TITLE	    48	 /* from the axis to the title below */
#define BETWEEN	    4	 /* half of the gap between two labels */
#define BYTES_STEPS 6	 /* marks on an axis of bytes */
#define ROUNDING    1e-9 /* of the sum of steps, relative to one */

double axis_place(const struct axis *a, double value)
{
	double low = a->logarithmic ? log2(a->low) : a->low;
	double high = a->logarithmic ? log2(a->high) : a->high;
	double part = ((a->logarithmic ? log2(value) : value) - low) / (high - low);

	return a->from + (high > low ? part : 0.5) * (a->to - a->from);
}

/* A line along the axis, or across it. */
static void line_print(const struct axis *a, bool across, double at, double from, double to,
		       const char *colour, FILE *f)
{
	if (a->upright == across)
		fprintf(f, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\"/>\n", from, at, to, colour);
	else
		fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", at, from, to, colour);
}

void axis_line(const struct axis *a, FILE *f)
{
	line_print(a, false, a->at, a->from, a->to, SVG_GREY, f);
}

/* Does the label have room beside those so far? If so, it is one of them. */
static bool label_fits(struct axis *a, double begin, double end)
{
	for (size_t i = 0; i < a->label_n; i++)
		if (begin < a->label[i].end && end > a->label[i].begin)
			return false;
	if (a->label_n == AXIS_LABELS)
		return false;
	a->label[a->label_n++] = (struct axis_span){begin, end};
	return true;
}

static bool label_print(struct axis *a, double place, const char *text, enum axis_look look,
			FILE *f)
{
	const struct svg_style style = {.size = a->size > 0 ? a->size : SIZE,
					.bold = look == AXIS_STRONG,
					.colour = look == AXIS_STRONG ? SVG_INK
						  : look == AXIS_WEAK ? SVG_GREY
								      : SVG_SOFT,
					.anchor = a->upright ? "end" : "middle",
					.room = a->room};
	double half = a->upright ? style.size / 2
				 : svg_text_length(text, style.size, style.bold) / 2 + BETWEEN;

	if (!a->upright && a->room > 0)
		half = fmin(half, a->room / 2);
	if (!label_fits(a, place - half, place + half))
		return false;
	if (a->upright)
		svg_text(f, a->at - GAP, place + style.size / 3, &style, text);
	else
		svg_text(f, place, a->at + style.size + (a->grid > 0 ? BELOW : TICK + 3), &style,
			 text);
	return true;
}

static void mark_print(struct axis *a, double value, const char *text, enum axis_look look,
		       const char *grid, FILE *f)
{
	double place = axis_place(a, value);
	bool labelled = label_print(a, place, text, look, f);

	if (a->grid > 0)
		line_print(a, true, place, a->at, a->grid, grid, f);
	else if (labelled)
		line_print(a, true, place, a->at, a->upright ? a->at - TICK : a->at + TICK,
			   SVG_GREY, f);
}

void axis_mark(struct axis *a, double value, const char *text, enum axis_look look, FILE *f)
{
	mark_print(a, value, text, look, SVG_FAINT, f);
}

void axis_title(const struct axis *a, const char *text, FILE *f)
{
	const struct svg_style style = {.size = SIZE, .colour = SVG_SOFT, .anchor = "middle"};

	svg_text(f, (a->from + a->to) / 2, a->at + TITLE, &style, text);
}

void axis_steps(struct axis *a, double step, axis_words *words, const void *of, FILE *f)
{
	char text[AXIS_TEXT];

	for (double k = ceil(a->low / step - ROUNDING); k * step <= a->high + ROUNDING * step; k++)
		mark_print(a, k == 0 ? 0 : k * step, words(of, k == 0 ? 0 : k * step, text),
			   AXIS_PLAIN, k == 0 ? SVG_GREY : SVG_FAINT, f);
}

void axis_powers(struct axis *a, double step, axis_words *words, const void *of, FILE *f)
{
	char text[AXIS_TEXT];

	for (double k = ceil(log2(a->low) / step - ROUNDING); k * step <= log2(a->high) + ROUNDING;
	     k++)
		axis_mark(a, exp2(k * step), words(of, exp2(k * step), text), AXIS_PLAIN, f);
}

static const char *time_words(const void *of, double ns, char to[AXIS_TEXT])
{
	const struct axis *a = of;

	return quantity_time_tick(ns, a->high, to);
}

void axis_times(struct axis *a, FILE *f)
{
	axis_steps(a, axis_round_step(a->high > a->low ? a->high - a->low : 1), time_words, a, f);
}

static const char *percent_words(const void *of __attribute__((unused)), double share,
				 char to[AXIS_TEXT])
{
	snprintf(to, AXIS_TEXT, "%d %%", (int)lrint(100 * share));
	return to;
}

void axis_percents(struct axis *a, FILE *f)
{
	axis_steps(a, 0.25, percent_words, NULL, f);
}

void axis_quarters(struct axis *a, axis_words *words, const void *of, FILE *f)
{
	axis_steps(a, a->high / 4, words, of, f);
}

double axis_round_step(double whole)
{
	double step = pow(10, floor(log10(whole / 8)));
	double steps = whole / step;

	return step * (steps > 40 ? 10 : steps > 16 ? 5 : steps > 8 ? 2 : 1);
}

double axis_size_step(double whole)
{
	double step = exp2(floor(log2(fmax(whole, 1) / BYTES_STEPS)));

	while (whole / step > BYTES_STEPS)
		step *= 2;
	return step;
}
