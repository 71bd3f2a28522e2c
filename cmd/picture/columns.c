/* columns.c: draws a number for each of many things as columns, with their histogram. */
#include "cmd/picture/columns.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"

/* The canvas, in SVG user units. */
#define WIDTH      1280
#define HEIGHT     560
#define LEFT       130
#define RIGHT      960
#define TOP        120
#define BOTTOM     480
#define SIDE       1000 /* the histogram */
#define SIDE_RIGHT 1232
#define MOST       415 /* columns: wider than a pixel, and a gap */

static double largest(const struct columns *c)
{
	double most = 0;

	for (size_t i = 0; i < c->v_n; i++)
		most = fmax(most, c->v[i].value);
	return most > 0 ? most : 1;
}

static struct axis value_axis(const struct columns *c)
{
	return (struct axis){.high = largest(c),
			     .from = BOTTOM,
			     .to = TOP,
			     .upright = true,
			     .at = LEFT,
			     .grid = RIGHT,
			     .room = LEFT - 24};
}

static double y_of(const struct axis *y, double value)
{
	return axis_place(y, fmax(value, 0));
}

/* The things of column i of n are those from first to the next column's. */
static size_t first_of(const struct columns *c, size_t i, size_t n)
{
	return i * c->v_n / n;
}

static void column_print(const struct columns *c, size_t i, size_t n, const struct axis *y, FILE *f)
{
	size_t from = first_of(c, i, n), to = first_of(c, i + 1, n);
	double low = c->v[from].value, high = low;
	double pitch = (double)(RIGHT - LEFT) / (double)n, gap = pitch > 4 ? pitch * 0.2 : 0.4;
	char text[2][48];

	for (size_t k = from; k < to; k++) {
		low = fmin(low, c->v[k].value);
		high = fmax(high, c->v[k].value);
	}
	fprintf(f, "<g><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
		LEFT + (double)i * pitch + gap / 2, y_of(y, low), pitch - gap,
		BOTTOM - y_of(y, low), svg_palette[0]);
	if (high > low)
		fprintf(f,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
			"fill=\"%s\"/>\n",
			LEFT + (double)i * pitch + gap / 2, y_of(y, high), pitch - gap,
			y_of(y, low) - y_of(y, high), svg_palette[5]);
	fputs("<title>", f);
	svg_escaped(f, c->v[from].name);
	if (to - from > 1) {
		fputs(" to ", f);
		svg_escaped(f, c->v[to - 1].name);
		fprintf(f, ": %s to %s", c->text(c->of, low, text[0]),
			c->text(c->of, high, text[1]));
	} else {
		fprintf(f, ": %s", c->text(c->of, high, text[0]));
	}
	fputs("</title></g>\n", f);
}

static const char *value_words(const void *of, double value, char to[AXIS_TEXT])
{
	const struct columns *c = of;

	return value > 0 ? c->text(c->of, value, to) : "0";
}

static void axes(const struct columns *c, size_t n, struct axis *y, FILE *f)
{
	struct axis x = {.high = (double)n, .from = LEFT, .to = RIGHT, .at = BOTTOM};
	size_t step = 1;

	axis_quarters(y, value_words, c, f);
	/* Ranks of a node are mostly a power of two. */
	while (c->v_n / step > 16)
		step *= 2;
	for (size_t i = 0; i < c->v_n; i += step)
		axis_mark(&x, (double)(i * n / c->v_n) + 0.5, c->v[i].name, AXIS_PLAIN, f);
	axis_title(&x, c->x_title, f);
}

static void mean_line(const struct columns *c, const struct axis *y, FILE *f)
{
	const struct svg_style label = {.size = 13, .bold = 1, .colour = SVG_INK, .anchor = "end"};
	double at = y_of(y, c->mean);
	char text[QUANTITY_TEXT], *words = mem_printf("mean %s", c->text(c->of, c->mean, text));

	fprintf(f,
		"<path d=\"M%d %.1fH%d\" stroke=\"%s\" stroke-width=\"2\" "
		"stroke-dasharray=\"6 4\"/>\n",
		LEFT, at, RIGHT, svg_palette[1]);
	fprintf(f,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"18\" fill=\"#ffffff\" "
		"fill-opacity=\"0.85\"/>\n",
		RIGHT - svg_text_length(words, 13, 1) - 10, at - 21,
		svg_text_length(words, 13, 1) + 8);
	svg_text(f, RIGHT - 6, at - 7, &label, words);
	free(words);
}

/* Drawn beside the columns, with the same axis if the least value is near 0. */
static void histogram(const struct columns *c, const struct axis *y, FILE *f)
{
	const struct svg_style label = {.size = 12, .colour = SVG_SOFT, .anchor = "start"},
			       head = {.size = 13, .colour = SVG_SOFT, .anchor = "middle"};
	double least = c->v_n ? c->v[0].value : 0, step;
	size_t tallest = 1;
	char text[24];

	for (size_t i = 0; i < c->v_n; i++)
		least = fmin(least, c->v[i].value);
	for (size_t i = 0; i < c->bins; i++)
		tallest = c->bin[i] > tallest ? c->bin[i] : tallest;
	step = (largest(c) - least) / (double)c->bins;
	for (size_t i = 0; i < c->bins; i++) {
		double low = y_of(y, least + step * (double)i),
		       high = y_of(y, least + step * (double)(i + 1)),
		       width = (SIDE_RIGHT - SIDE - 40) * (double)c->bin[i] / (double)tallest;
		double height = fmax(low - high - 1, 3);

		if (!c->bin[i])
			continue;
		fprintf(f,
			"<rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
			SIDE, low - height, width, height, svg_palette[2]);
		snprintf(text, sizeof(text), "%zu", c->bin[i]);
		svg_text(f, SIDE + width + 6, low - height / 2 + 4, &label, text);
	}
	fprintf(f, "<path d=\"M%d %dV%d\" stroke=\"%s\" stroke-width=\"1\"/>\n", SIDE, TOP, BOTTOM,
		SVG_GREY);
	svg_text(f, (SIDE + SIDE_RIGHT) / 2.0, BOTTOM + 48, &head, "how many have this value");
}

void columns_print(const struct columns *c, FILE *f)
{
	const struct svg_style head = {.size = 26,
				       .bold = 1,
				       .colour = SVG_INK,
				       .anchor = "start",
				       .room = WIDTH - 96},
			       sub = {.size = 16,
				      .colour = SVG_SOFT,
				      .anchor = "start",
				      .room = WIDTH - 96};
	size_t n = c->v_n < MOST ? c->v_n : MOST;
	struct axis y = value_axis(c);

	svg_begin(f, WIDTH, HEIGHT, c->title);
	svg_headline(f, 48, 52, &head, c->title);
	svg_headline(f, 48, 82, &sub, c->subtitle);
	axes(c, n ? n : 1, &y, f);
	for (size_t i = 0; i < n; i++)
		column_print(c, i, n, &y, f);
	mean_line(c, &y, f);
	histogram(c, &y, f);
	svg_end(f);
}

void columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->v_n; i++)
		free(c->v[i].name);
	free(c->v);
}
