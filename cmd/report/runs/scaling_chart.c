/* scaling_chart.c: the picture of tau-report scaling: speedup against the ideal, and shares of
 * regions over PEs. */
#include <math.h>
#include <string.h>

#include "analyze/compare/speedup.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"
#include "cmd/report/runs/report_scaling.h"

#define WIDTH   1280
#define HEIGHT  680
#define LEFT    84
#define MIDDLE  560
#define RIGHT   650 /* where the bars begin */
#define END     980
#define TOP     150
#define BOTTOM  590
#define LABEL   1004

struct axes {
	const struct speedup *s;
	struct axis pes, ratio;
};

static double x_of(const struct axes *a, double p)
{
	return axis_place(&a->pes, p);
}

static double y_of(const struct axes *a, double ratio)
{
	return axis_place(&a->ratio, ratio);
}

static double ratio_at(const struct speedup *s, size_t k)
{
	return speedup_ratio(s, s->time[0], s->time[k], k);
}

static const char *ratio_words(const void *of __attribute__((unused)), double ratio,
			       char to[AXIS_TEXT])
{
	snprintf(to, AXIS_TEXT, "%g", ratio);
	return to;
}

static void grid(FILE *f, struct axes *a)
{
	char text[AXIS_TEXT];

	axis_powers(&a->ratio, 1, ratio_words, NULL, f);
	for (size_t k = 0; k < a->s->p_n; k++) {
		snprintf(text, sizeof(text), "%.0f", a->s->p[k]);
		axis_mark(&a->pes, a->s->p[k], text, AXIS_PLAIN, f);
	}
}

/*
 * The value at the last point, to the left of it, as there is no room on its right: above the lines to it if the measured
 * one is steep, and below if it is flat.
 */
static void last_value(FILE *f, const struct axes *a, const char *text)
{
	const struct svg_style value = {13, 1, SVG_INK, "end", 0};
	size_t k = a->s->p_n - 1;
	double x = x_of(a, a->s->p[k]), y = y_of(a, ratio_at(a->s, k));
	double before = k && isfinite(ratio_at(a->s, k - 1)) ? ratio_at(a->s, k - 1) : 1;
	double slope = (y_of(a, before) - y) / (x - x_of(a, a->s->p[k ? k - 1 : 0]));

	svg_text(f, slope > 0.3 ? x - 16 : x, slope > 0.3 ? y + 9 : y + 26, &value, text);
}

static void speedup_draw(FILE *f, const struct scaling_shown *x)
{
	const struct speedup *s = &x->s;
	const struct svg_style ideal = {13, 0, SVG_SOFT, "end", 0},
			       value = {13, 1, SVG_INK, "start", 0};
	struct axes a = {.s = s,
			 .pes = {.low = s->p[0],
				 .high = s->p[s->p_n - 1],
				 .from = LEFT,
				 .to = MIDDLE,
				 .logarithmic = true,
				 .at = BOTTOM},
			 .ratio = {.low = 1,
				   .high = s->p[s->p_n - 1] / s->p[0],
				   .from = BOTTOM,
				   .to = TOP,
				   .logarithmic = true,
				   .upright = true,
				   .at = LEFT,
				   .grid = MIDDLE}};

	for (size_t k = 0; k < s->p_n; k++) {
		a.ratio.low = fmin(a.ratio.low, ratio_at(s, k));
		a.ratio.high = fmax(a.ratio.high, ratio_at(s, k));
	}
	grid(f, &a);
	axis_title(&a.pes, scaling_axis(x), f);
	fprintf(f,
		"<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"2\" "
		"stroke-dasharray=\"6 5\" fill=\"none\"/>\n",
		x_of(&a, s->p[0]), y_of(&a, 1), x_of(&a, s->p[s->p_n - 1]),
		y_of(&a, s->p[s->p_n - 1] / s->p[0]), SVG_GREY);
	svg_text(f, MIDDLE - 14, y_of(&a, s->p[s->p_n - 1] / s->p[0]) - 8, &ideal, "ideal");
	fputs("<path d=\"", f);
	for (size_t k = 0; k < s->p_n; k++)
		if (isfinite(ratio_at(s, k)))
			fprintf(f, "%c%.1f %.1f", k ? 'L' : 'M', x_of(&a, s->p[k]),
				y_of(&a, ratio_at(s, k)));
	fprintf(f, "\" stroke=\"%s\" stroke-width=\"3\" fill=\"none\"/>\n", svg_palette[0]);
	for (size_t k = 0; k < s->p_n; k++) {
		char text[64];

		if (!isfinite(ratio_at(s, k)))
			continue;
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
			x_of(&a, s->p[k]), y_of(&a, ratio_at(s, k)), svg_palette[0]);
		if (!k)
			continue;
		snprintf(text, sizeof(text), "%.2f (%.0f %%)", ratio_at(s, k),
			 100 * speedup_efficiency(s, s->time[0], s->time[k], k));
		if (k + 1 == s->p_n)
			last_value(f, &a, text);
		else
			svg_text(f, x_of(&a, s->p[k]) + 10, y_of(&a, ratio_at(s, k)) + 24, &value,
				 text);
	}
}

void scaling_chart(const struct scaling_shown *x, FILE *f)
{
	const struct svg_style title = {28, 1, SVG_INK, "start", WIDTH - 2 * LEFT},
			       sub = {15, 0, SVG_SOFT, "start", WIDTH - 2 * LEFT},
			       head = {15, 1, SVG_INK, "start", 0};
	struct stacked shares = {.left = RIGHT,
				 .right = END,
				 .top = TOP,
				 .bottom = BOTTOM,
				 .legend = LABEL,
				 .legend_room = WIDTH - LABEL - 40};
	char *counts = scaling_counts(x), *next = scaling_next(x);
	char *line = mem_printf("%s scaling on %s. %s",
				x->s.law == SPEEDUP_STRONG ? "Strong" : "Weak", counts, next);

	svg_begin(f, WIDTH, HEIGHT, "Scaling");
	svg_text(f, LEFT, 52, &title, "Speedup, and where the time goes");
	svg_headline(f, LEFT, 82, &sub, line);
	svg_text(f, LEFT, TOP - 24, &head, "Speedup of the longest thread (efficiency)");
	svg_text(f, RIGHT, TOP - 24, &head, "Shares of regions, exclusive");
	speedup_draw(f, x);
	scaling_shares(x, &shares, f);
	svg_end(f);
	free(counts);
	free(next);
	free(line);
}
