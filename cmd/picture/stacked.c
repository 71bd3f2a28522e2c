/* stacked.c: draws bars that are divided into shares. */
#include "cmd/picture/stacked.h"

#include <math.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "cmd/picture/axis.h"

#define ROOM  46 /* a share is written into its box from this width on, */
#define LINE  17 /* and this height */
#define LEAST 0.0001 /* of the others, which are a difference */

void stacked_part(struct stacked *s, char *name, char *brief)
{
	s->name[s->n] = name;
	s->brief[s->n++] = brief;
}

double *stacked_bar(struct stacked *s, char *label)
{
	s->label = mem_resize(s->label, s->bar_n + 1, sizeof(*s->label));
	s->label[s->bar_n++] = label;
	s->share = mem_resize(s->share, s->bar_n * s->n + 1, sizeof(*s->share));
	return s->share + (s->bar_n - 1) * s->n;
}

static void box_print(const struct stacked *s, size_t part, double left, double width, double y,
		      double share, FILE *f)
{
	const struct svg_style inside = {12, 1, part ? SVG_ON_LIGHT : SVG_ON_DARK, "middle", 0};
	double height = share * (s->bottom - s->top);
	char text[16], percent[QUANTITY_TEXT];

	fprintf(f,
		"<g><rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" "
		"fill=\"%s\"/>\n",
		left, y, width, height, part < s->n ? svg_palette[part] : SVG_GREY);
	if (width >= ROOM && height >= LINE) {
		snprintf(text, sizeof(text), "%.1f", 100 * share);
		svg_text(f, left + width / 2, y + height / 2 + 4, &inside, text);
	}
	fputs("<title>", f);
	svg_escaped(f, part < s->n ? s->name[part] : "others");
	fputs(", ", f);
	svg_escaped(f, quantity_percent_text(100 * share, percent));
	fputs("</title></g>\n", f);
}

static void bar_print(const struct stacked *s, size_t bar, FILE *f)
{
	double pitch = (s->right - s->left) / (double)s->bar_n;
	double from = s->left + pitch * (double)bar, y = s->bottom, rest = 1;
	const struct svg_style under = {13, 0, SVG_SOFT, "middle", pitch};

	for (size_t i = 0; i < s->n + (size_t)s->others; i++) {
		double v = i < s->n ? s->share[bar * s->n + i] : rest > LEAST ? rest : 0;

		if (!(v > 0))
			continue;
		rest -= v;
		y -= v * (s->bottom - s->top);
		box_print(s, i, from + pitch * 0.1, pitch * 0.8, y, v, f);
	}
	svg_text(f, from + pitch / 2, s->bottom + 24, &under, s->label[bar]);
}

static void legend_print(const struct stacked *s, FILE *f)
{
	const struct svg_style label = {13.5, 0, SVG_INK, "start", s->legend_room};

	for (size_t i = 0; i < s->n + (size_t)s->others; i++) {
		double y = s->bottom - 10 - 34 * (double)i;

		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" "
			"fill=\"%s\"/>\n",
			s->legend, y - 12, i < s->n ? svg_palette[i] : SVG_GREY);
		svg_text_for(f, s->legend + 22, y, &label, i < s->n ? s->brief[i] : "others",
			     i < s->n ? s->name[i] : "others");
	}
}

void stacked_print(const struct stacked *s, FILE *f)
{
	struct axis shares = {.high = 1,
			      .from = s->bottom,
			      .to = s->top,
			      .upright = true,
			      .at = s->left,
			      .grid = s->right};
	const struct axis below = {.from = s->left, .to = s->right, .at = s->bottom};

	axis_percents(&shares, f);
	for (size_t i = 0; i < s->bar_n; i++)
		bar_print(s, i, f);
	legend_print(s, f);
	axis_title(&below, s->x_title, f);
}

void stacked_release(struct stacked *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->name[i]);
		free(s->brief[i]);
	}
	for (size_t i = 0; i < s->bar_n; i++)
		free(s->label[i]);
	free(s->label);
	free(s->share);
}
