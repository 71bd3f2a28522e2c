/* memory_area.c: draws live memory over time as stacked areas. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "cmd/table/table_text.h"
#include "convert/load.h"
#include "cmd/report/memory/memory_time.h"
#include "cmd/picture/short_names.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/picture/axis.h"
#include "cmd/picture/svg.h"

/* The canvas, in SVG user units. */
#define WIDTH      1280
#define HEIGHT     720
#define LEFT       96
#define RIGHT      800
#define TOP        140
#define BOTTOM     630
#define LEGEND     836
#define NAME_WIDTH (WIDTH - LEGEND - 24 - 40)
#define LEGEND_ROW 44
#define AREAS_MAX  10

/* Okabe and Ito's, and three of Tol's that they leave room for. */
static const char *const colours[AREAS_MAX] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
					       "#56b4e9", "#d55e00", "#f0e442", "#882255",
					       "#44aa99", "#332288"};
#define REST_COLOUR "#c8c8c8"

struct area {
	const char *name, *colour;
	char *detail, *whole; /* owner and site, short and as they are; "" or NULL: none */
	double *top, *v; /* by slice: upper edge of the area, its own height */
	double then;     /* at the end of the window, which need not be that of a slice */
};

struct area_stack {
	struct area *area; /* bottom first; the last is what is left */
	size_t n;
	double most, last_us;
	struct axis time, bytes;
};

static double place_x(const struct area_stack *s, double us)
{
	return axis_place(&s->time, 1000 * us);
}

static double place_y(const struct area_stack *s, double bytes)
{
	return axis_place(&s->bytes, bytes);
}

/* What the row of that name holds at the end of the window. */
static double then_of(const struct memory_series *window, const char *name)
{
	for (size_t i = 0; i < window->row_n; i++)
		if (!strcmp(window->row[i].name, name))
			return window->row[i].value[0].bytes;
	return 0;
}

static void stack_make(struct area_stack *s, const struct memory_time *t,
		       const struct memory_series *window, size_t top)
{
	double rest = window->all.value[0].bytes;
	size_t *row = mem_alloc(t->live.row_n * sizeof(*row)), n = memory_time_rank(t, row);

	n = n < top ? n : top;
	n = n < AREAS_MAX ? n : AREAS_MAX;
	s->area = mem_alloc((n + 1) * sizeof(*s->area));
	s->n = n + 1;
	s->last_us = t->end_us[t->n - 1];
	for (size_t i = 0; i <= n; i++) {
		struct area *a = &s->area[i];

		a->top = mem_alloc(2 * t->n * sizeof(*a->top));
		a->v = a->top + t->n;
		a->name = i < n ? t->live.row[row[i]].name : "everything else";
		a->then = i < n ? then_of(window, a->name) : rest;
		rest -= a->then;
		if (i < n && t->live.row[row[i]].type) {
			const struct memory_growth *g = &t->live.row[row[i]];

			a->name = g->type;
			a->detail = place_words(g->owner, g->site, 0);
			a->whole = place_words(g->owner, g->site, 1);
		}
		a->colour = i < n ? colours[i] : REST_COLOUR;
		for (size_t k = 0; k < t->n; k++) {
			double below = i ? s->area[i - 1].top[k] : 0;

			a->v[k] = i < n ? t->live.row[row[i]].value[k].bytes : t->all[k] - below;
			a->top[k] = below + a->v[k];
			s->most = fmax(s->most, fmax(a->top[k], t->peak[k]));
		}
	}
	free(row);
}

static void axes_make(struct area_stack *s)
{
	s->time = (struct axis){.high = 1000 * s->last_us, .from = LEFT, .to = RIGHT, .at = BOTTOM};
	s->bytes = (struct axis){.high = s->most,
				 .from = BOTTOM,
				 .to = TOP,
				 .upright = true,
				 .at = LEFT,
				 .grid = RIGHT};
}

static const char *size_words(const void *of __attribute__((unused)), double bytes,
			      char to[AXIS_TEXT])
{
	return bytes > 0 ? quantity_size_text(bytes, to) : "0";
}

static void print_area(const struct area_stack *s, const struct memory_time *t, size_t i, FILE *f)
{
	const struct area *a = &s->area[i];

	fprintf(f, "<path fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.6\" d=\"M%d,%d",
		a->colour, LEFT, BOTTOM);
	for (size_t k = 0; k < t->n; k++)
		fprintf(f, "L%.1f,%.1f", place_x(s, t->end_us[k]), place_y(s, a->top[k]));
	for (size_t k = t->n; k--;)
		fprintf(f, "L%.1f,%.1f", place_x(s, t->end_us[k]),
			place_y(s, i ? s->area[i - 1].top[k] : 0));
	fputs("z\"/>\n", f);
}

static void print_peak(const struct area_stack *s, const struct memory_time *t, FILE *f)
{
	fprintf(f,
		"<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" stroke-dasharray=\"3 3\" "
		"d=\"",
		SVG_INK);
	for (size_t k = 0; k < t->n; k++)
		fprintf(f, "%c%.1f,%.1f", k ? 'L' : 'M', place_x(s, t->end_us[k]),
			place_y(s, t->peak[k]));
	fputs("\"/>\n", f);
}

/* In the order of the areas, the topmost first; an area without height is not drawn, so it has no line. */
static void print_legend(const struct area_stack *s, const struct memory_time *t, FILE *f)
{
	const struct svg_style name = {14.5, 1, SVG_INK, "start", NAME_WIDTH},
			       note = {12, 0, SVG_SOFT, "start", NAME_WIDTH};
	char then[QUANTITY_TEXT], most[QUANTITY_TEXT];
	double y = TOP - 4;

	for (size_t i = 0; i < s->n; i++) {
		const struct area *a = &s->area[s->n - 1 - i];
		double largest = a->then, below = 9;
		char *text;

		for (size_t k = 0; k < t->n; k++)
			largest = fmax(largest, a->v[k]);
		if (largest <= 0 && s->n > 1)
			continue;
		text = mem_printf("%s at the line, at most %s", quantity_size_text(a->then, then),
				  quantity_size_text(largest, most));
		fprintf(f, "<rect x=\"%d\" y=\"%.1f\" width=\"18\" height=\"18\" fill=\"%s\"/>\n",
			LEGEND, y, a->colour);
		svg_text(f, LEGEND + 28, y + below, &name, a->name);
		if (a->detail && *a->detail)
			svg_text_for(f, LEGEND + 28, y + (below += 14), &note, a->detail, a->whole);
		svg_text(f, LEGEND + 28, y + below + 15, &note, text);
		free(text);
		y += LEGEND_ROW;
	}
}

static void print_moment(const struct area_stack *s, double us, const char *window, FILE *f)
{
	const struct svg_style label = {13, 0, SVG_INK, "middle", 0};
	int before = load_before_finalize(window);
	double x = place_x(s, us);

	fprintf(f,
		"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" "
		"stroke-width=\"1.4\"/>\n",
		x, TOP - 8, x, BOTTOM, SVG_INK);
	svg_text(f, fmin(x, RIGHT - 60), TOP - 14, &label,
		 before ? "line: before finalize" : "line: the end of the window");
}

void memory_time_draw(const struct memory_time *t, const struct memory_series *window,
		      const struct report_run *run, size_t pes, size_t top, FILE *f)
{
	const struct svg_style title = {32, 1, SVG_INK, "start", WIDTH - 96},
			       subtitle = {18, 0, SVG_SOFT, "start", WIDTH - 96},
			       foot = {12, 0, SVG_SOFT, "start", WIDTH - 96};
	struct area_stack s = {0};
	double last_us = t->end_us[t->n - 1], end_us = run->profile->end_us;
	char most[QUANTITY_TEXT], then[QUANTITY_TEXT], when[QUANTITY_TEXT], *text, *headline;
	double peak = 0;

	end_us = end_us > 0 && end_us < last_us ? end_us : last_us;
	stack_make(&s, t, window, top);
	for (size_t k = 0; k < t->n; k++)
		peak = fmax(peak, t->peak[k]);
	s.most = fmax(s.most, 1);
	axes_make(&s);
	quantity_moment_text(1000 * end_us, when);
	text = mem_printf("%s, %zu PE%s: %s live in the job at %s, never more than %s.", run->title,
			  pes, plural(pes), quantity_size_text(window->all.value[0].bytes, then),
			  when, quantity_size_text(peak, most));
	svg_begin(f, WIDTH, HEIGHT, "Memory over time");
	headline = t->live.query.by == MEMORY_BY_TYPE
			   ? mem_string("Memory over time, by type of object")
			   : mem_printf("Memory over time, by %s",
					memory_by_titles[t->live.query.by]);
	svg_text(f, 48, 62, &title, headline);
	svg_headline(f, 48, 96, &subtitle, text);
	axis_steps(&s.bytes, axis_size_step(s.most), size_words, NULL, f);
	for (size_t i = 0; i < s.n; i++)
		print_area(&s, t, i, f);
	print_peak(&s, t, f);
	print_moment(&s, end_us, run->profile->window, f);
	axis_times(&s.time, f);
	axis_line(&s.time, f);
	print_legend(&s, t, f);
	svg_text(f, 48, HEIGHT - 20, &foot,
		 "Areas: live bytes of the whole job at the end of each of the slices of time. "
		 "Dotted: the most inside "
		 "each slice. NAME[]: blocks of a free list.");
	svg_end(f);
	for (size_t i = 0; i < s.n; i++) {
		free(s.area[i].top);
		free(s.area[i].detail);
		free(s.area[i].whole);
	}
	free(s.area);
	free(text);
	free(headline);
}
