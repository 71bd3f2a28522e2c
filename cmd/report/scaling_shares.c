/* scaling_shares.c: shares of regions in the time, by number of PEs: their order, and stacked bars. */
#include <math.h>

#include "cmd/picture/svg.h"
#include "cmd/report/report_scaling.h"

#define RUNGS 5
#define ROOM  46 /* a share is written into its box from this width on, */
#define LINE  17 /* and this height */

double scaling_part(const struct speedup *s, size_t row, size_t k)
{
	const struct speedup_row *r = &s->row[row];
	size_t with = 0;

	for (size_t i = 0; i < r->point_n; i++)
		with += r->point[i].p >= s->p[k] && r->point[i].p <= s->p[k];
	return r->per[k] * (double)with / (double)s->runs[k];
}

static double share_of(const struct speedup *s, size_t row, size_t k)
{
	return scaling_part(s, row, k) / s->sum[k];
}

double scaling_share_most(const struct speedup *s, size_t row)
{
	double most = 0;

	for (size_t k = 0; k < s->p_n; k++)
		most = fmax(most, share_of(s, row, k));
	return most;
}

static int largest_first(const void *va, const void *vb, void *of)
{
	const size_t *a = va, *b = vb;
	double x = scaling_share_most(of, *a), y = scaling_share_most(of, *b);

	return x != y ? (x < y ? 1 : -1) : (*a > *b) - (*a < *b);
}

size_t *scaling_by_share(const struct speedup *s, size_t *n)
{
	size_t *order = mem_alloc((s->row_n + 1) * sizeof(*order));

	*n = 0;
	for (size_t i = 0; i < s->row_n; i++)
		if (scaling_share_most(s, i) > 0)
			order[(*n)++] = i;
	qsort_r(order, *n, sizeof(*order), largest_first, (void *)s);
	return order;
}

const char *scaling_axis(const struct scaling_shown *x)
{
	return x->s.of_threads ? "threads" : "processing elements (PEs)";
}

/* What a picture has: the regions in their order, of which n have a colour. */
struct stack {
	const struct scaling_shown *x;
	const struct shares_frame *a;
	const size_t *order;
	size_t n;
	int others; /* there are more */
};

static char *name_of(const struct stack *s, size_t i, int brief)
{
	size_t row;

	if (i == s->n)
		return mem_string("others");
	row = s->x->s.row[s->order[i]].row;
	return brief ? compared_brief(&s->x->c, s->x->o, row)
		     : compared_name(&s->x->c, s->x->o, row);
}

static void box_draw(FILE *f, const struct stack *s, size_t i, double left, double width, double y,
		     double share)
{
	const struct svg_style inside = {12, 1, i ? SVG_ON_LIGHT : SVG_ON_DARK, "middle", 0};
	double height = share * (s->a->bottom - s->a->top);
	char *name = name_of(s, i, 0), text[16];

	fprintf(f,
		"<g><rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" "
		"fill=\"%s\"/>\n",
		left, y, width, height, i < s->n ? svg_palette[i] : SVG_GREY);
	if (width >= ROOM && height >= LINE) {
		snprintf(text, sizeof(text), "%.1f", 100 * share);
		svg_text(f, left + width / 2, y + height / 2 + 4, &inside, text);
	}
	fputs("<title>", f);
	svg_escaped(f, name);
	fprintf(f, ", %.1f %%</title></g>\n", 100 * share);
	free(name);
}

static void bar_draw(FILE *f, const struct stack *s, size_t k)
{
	const struct svg_style under = {13, 0, SVG_SOFT, "middle", 0};
	double pitch = (s->a->right - s->a->left) / (double)s->x->s.p_n,
	       from = s->a->left + pitch * (double)k, y = s->a->bottom, rest = 1;
	char text[32];

	for (size_t i = 0; i < s->n + (size_t)s->others; i++) {
		double v = i < s->n ? share_of(&s->x->s, s->order[i], k) : rest;

		if (!(v > 0.0001))
			continue;
		rest -= v;
		y -= v * (s->a->bottom - s->a->top);
		box_draw(f, s, i, from + pitch * 0.1, pitch * 0.8, y, v);
	}
	snprintf(text, sizeof(text), "%.0f", s->x->s.p[k]);
	svg_text(f, from + pitch / 2, s->a->bottom + 24, &under, text);
}

static void legend_draw(FILE *f, const struct stack *s)
{
	const struct svg_style label = {13.5, 0, SVG_INK, "start", s->a->label_room};

	for (size_t i = 0; i < s->n + (size_t)s->others; i++) {
		double y = s->a->bottom - 10 - 34 * (double)i;
		char *name = name_of(s, i, 1);

		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"14\" "
			"fill=\"%s\"/>\n",
			s->a->label, y - 12, i < s->n ? svg_palette[i] : SVG_GREY);
		svg_text(f, s->a->label + 22, y, &label, name);
		free(name);
	}
}

void scaling_shares(const struct scaling_shown *x, const struct shares_frame *a, FILE *f)
{
	const struct svg_style tick = {13, 0, SVG_SOFT, "end", 0},
			       axis = {13, 0, SVG_SOFT, "middle", 0};
	size_t n, *order = scaling_by_share(&x->s, &n),
		  most = x->o->top > 0 && x->o->top < SVG_COLOURS ? (size_t)x->o->top
								  : SVG_COLOURS;
	const struct stack s = {x, a, order, n < most ? n : most, n > most};
	char text[32];

	for (int i = 0; i < RUNGS; i++) {
		double y = a->bottom - i * (a->bottom - a->top) / (RUNGS - 1.0);

		fprintf(f, "<path d=\"M%.0f %.1fH%.0f\" stroke=\"%s\"/>\n", a->left, y, a->right,
			SVG_FAINT);
		snprintf(text, sizeof(text), "%d %%", 25 * i);
		svg_text(f, a->left - 8, y + 4, &tick, text);
	}
	for (size_t k = 0; k < x->s.p_n; k++)
		bar_draw(f, &s, k);
	legend_draw(f, &s);
	svg_text(f, (a->left + a->right) / 2, a->bottom + 52, &axis, scaling_axis(x));
	free(order);
}
