/* scaling_chart.c: the picture of tau-report scaling: speedup against the ideal, and shares of
 * regions over PEs. */
#include <math.h>
#include <string.h>

#include "analyze/compare/speedup.h"
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

static double along(double v, double from, double to, double low, double high)
{
	return low + (high - low) * (log2(v) - log2(from)) / (log2(to) - log2(from));
}

struct axes {
	const struct speedup *s;
	double low, high; /* of speedup */
};

static double x_of(const struct axes *a, double p)
{
	return along(p, a->s->p[0], a->s->p[a->s->p_n - 1], LEFT, MIDDLE);
}

static double y_of(const struct axes *a, double ratio)
{
	return along(ratio, a->low, a->high, BOTTOM, TOP);
}

static double ratio_at(const struct speedup *s, size_t k)
{
	return speedup_ratio(s, s->time[0], s->time[k], k);
}

static void grid(FILE *f, const struct axes *a)
{
	const struct svg_style tick = {13, 0, SVG_SOFT, "end", 0},
			       under = {13, 0, SVG_SOFT, "middle", 0};
	char text[32];

	for (double v = exp2(ceil(log2(a->low) - 1e-9)); v <= a->high * 1.0001; v *= 2) {
		double y = y_of(a, v);

		fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", LEFT, y, MIDDLE, SVG_FAINT);
		snprintf(text, sizeof(text), "%g", v);
		svg_text(f, LEFT - 10, y + 4, &tick, text);
	}
	for (size_t k = 0; k < a->s->p_n; k++) {
		snprintf(text, sizeof(text), "%.0f", a->s->p[k]);
		fprintf(f, "<path d=\"M%.1f %dV%d\" stroke=\"%s\"/>\n", x_of(a, a->s->p[k]), BOTTOM,
			BOTTOM + 6, SVG_GREY);
		svg_text(f, x_of(a, a->s->p[k]), BOTTOM + 24, &under, text);
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
	struct axes a = {s, 1, s->p[s->p_n - 1] / s->p[0]};

	for (size_t k = 0; k < s->p_n; k++) {
		a.low = fmin(a.low, ratio_at(s, k));
		a.high = fmax(a.high, ratio_at(s, k));
	}
	grid(f, &a);
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
			       head = {15, 1, SVG_INK, "start", 0},
			       axis = {13, 0, SVG_SOFT, "middle", 0};
	struct stacked shares = {.left = RIGHT,
				 .right = END,
				 .top = TOP,
				 .bottom = BOTTOM,
				 .legend = LABEL,
				 .legend_room = WIDTH - LABEL - 40};
	const char *unit = scaling_axis(x);
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
	svg_text(f, (LEFT + MIDDLE) / 2.0, BOTTOM + 52, &axis, unit);
	svg_end(f);
	free(counts);
	free(next);
	free(line);
}
