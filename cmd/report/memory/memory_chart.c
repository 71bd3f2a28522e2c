/* memory_chart.c: the picture of memory-scaling: which types grow as lines, what the growth consists of as bars. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "analyze/scaling/scaling.h"
#include "cmd/picture/chart.h"
#include "cmd/picture/short_names.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"

#define LINES_MAX 9
#define BARS_MAX 11
#define WAYS_SHOWN 4	/* ways to grow that the subtitle names */
#define BEYOND 4	/* times the largest number of PEs: so far the models are drawn */
#define BEYOND_STEPS 24

/* Owns what struct chart borrows. */
struct picture {
	const struct memory_shown *m;
	struct chart_line line[LINES_MAX];
	struct chart_bar bar[BARS_MAX];
	size_t line_n, bar_n;
	double *x, beyond_x[BEYOND_STEPS + 1];	/* up to the largest requested number */
	char *text[64];
	size_t text_n;
};

/* Keeps a string until the picture is drawn. */
static const char *keep(struct picture *p, char *s)
{
	assert(p->text_n < sizeof(p->text) / sizeof(*p->text));
	return p->text[p->text_n++] = s;
}

/* The model and its interval from the largest run on, as far as it is credible. */
static void add_beyond(struct picture *p, const struct memory_growth *g, struct chart_line *l)
{
	double *value = mem_alloc(3 * sizeof(p->beyond_x)), *low = value + BEYOND_STEPS + 1,
	       *high = low + BEYOND_STEPS + 1;

	for (size_t k = 0; k <= BEYOND_STEPS; k++) {
		struct scaling_forecast f;

		memory_forecast(p->m->s, g, p->beyond_x[k], &f);
		value[k] = f.credible ? f.value : NAN;
		low[k] = f.credible ? f.low : NAN;
		high[k] = f.credible ? f.high : NAN;
	}
	l->beyond = value;
	l->low = low;
	l->high = high;
}

/* It stops growing somewhere: the reason contains where. */
static int jumps(const struct memory_growth *g)
{
	return g->model.verdict == SCALING_STEPS || g->model.verdict == SCALING_LATE;
}

static void add_line(struct picture *p, const struct memory_growth *g, const char *name, int grey)
{
	const struct memory_shown *m = p->m;
	struct chart_line *l = &p->line[p->line_n];
	double *y = mem_alloc(m->pes_n * sizeof(*y));
	char text[200], *forecast;

	if (p->line_n == LINES_MAX) {
		free(y);
		return;
	}
	p->line_n++;
	for (size_t k = 0; k < m->pes_n; k++)
		y[k] = memory_at(m, g, m->pes[k], m->s->query.per, 0);
	if (memory_can_forecast(g) && m->pes_n > 1)
		add_beyond(p, g, l);
	memory_growth_words(m, &g->model, text, sizeof(text));
	l->name = name;
	if (g->owner || g->site) {
		l->detail = keep(p, place_words(g->owner, g->site, 0));
		l->whole = keep(p, place_words(g->owner, g->site, 1));
	}
	l->note = m->pes_n < 2 ? NULL :
		  keep(p, memory_can_forecast(g) ? mem_string(text) :
			  jumps(g) ? mem_string(g->model.why) :
							      mem_string("no credible model"));
	forecast = memory_can_forecast(g) && m->pes_n > 1 ? memory_predict_words(m, g) : NULL;
	l->forecast = forecast ? keep(p, forecast) : NULL;
	l->y = y;
	l->grey = grey;
}

/* Growth, or with one PE count the size. */
static double bar_value(const struct memory_shown *m, const struct memory_growth *g)
{
	return m->pes_n > 1 ? g->last - g->first : g->last;
}

static void add_bar(struct picture *p, const struct memory_growth *g, int line)
{
	double value = bar_value(p->m, g), all = bar_value(p->m, &p->m->s->all);
	char size[QUANTITY_TEXT], share[QUANTITY_TEXT];
	struct chart_bar *b = &p->bar[p->bar_n];

	if (p->bar_n == BARS_MAX || !isfinite(value))
		return;
	p->bar_n++;
	b->name = g->type ? keep(p, place_line(g->type, g->parent, g->site)) : g->name;
	b->whole = g->owner || g->site ? g->name : b->name;
	b->value = value;
	b->line = line;
	/* What shrinks has no share of a growth. */
	quantity_size_text(p->m->pes_n > 1 ? fabs(value) : value, size);
	if (!(all > 0) || !(value > 0))
		b->note = keep(p, mem_printf("%s%s", size, value < 0 ? " less" : ""));
	else
		b->note = keep(p, mem_printf("%s, %s", size,
					     quantity_in_text(100 * value / all, 0, "%", share)));
}

static void fill(struct picture *p)
{
	const struct memory_shown *m = p->m;
	const int mpich = !strcmp(memory_mpi(m->s), "MPICH");

	for (size_t i = 0; i < m->row_n; i++) {
		const struct memory_growth *g = m->row[i];
		int drawn = i < m->rule && p->line_n + 2 < LINES_MAX &&
			    (m->pes_n < 2 || g->last > g->first);

		if (drawn)
			add_line(p, g, g->owner || g->site ? g->type : g->name, 0);
		else if (g == m->openmpi)
			add_line(p, g, mpich ? "untyped (MPICH)" : "untyped (Open MPI)", 1);
		add_bar(p, g, drawn ? (int)p->line_n - 1 : -1);
	}
	add_line(p, &m->s->all, "everything", 1);
}

/* "2 to 16", "4" */
static char *span(const struct memory_shown *m)
{
	return m->pes_n > 1 ? mem_printf("%zu to %zu", m->pes[0], m->pes[m->pes_n - 1])
			    : mem_printf("%zu", m->pes[0]);
}

/* One way to grow, "as O(P)" or "in steps", and how many rows do. */
struct chart_way {
	char words[80];
	size_t count;
};

static void way_of(const struct memory_shown *m, const struct memory_growth *g, struct chart_way *w)
{
	char order[64];

	w->count = 1;
	if (scaling_credible(&g->model))
		snprintf(w->words, sizeof(w->words), "as %s",
			 memory_order_words(m, g, order, sizeof(order)));
	else if (jumps(g))
		strcpy(w->words, g->model.verdict == SCALING_STEPS ? "in steps" : "late");
	else
		strcpy(w->words, "without a credible model");
}

static int compare_ways(const void *a, const void *b)
{
	const struct chart_way *x = a, *y = b;

	return x->count != y->count ? (x->count > y->count ? -1 : 1) : strcmp(x->words, y->words);
}

/* The ways in which named rows grow, the most frequent first. Returns how many there are. */
static size_t count_ways(const struct memory_shown *m, struct chart_way *v, size_t *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < m->s->row_n; i++) {
		const struct memory_growth *g = &m->s->row[i];
		size_t k = 0;

		if (!memory_named(g) || !(g->last > g->first) ||
		    g->model.verdict == SCALING_CONSTANT)
			continue;
		++*rows;
		way_of(m, g, &v[n]);
		while (strcmp(v[k].words, v[n].words))
			k++;
		if (k < n)
			v[k].count++;
		else
			n++;
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_ways);
	return n;
}

/* "9 types grow: 5 as O(P), 3 without a credible model, 1 in steps" */
static char *verdict(const struct memory_shown *m)
{
	struct chart_way *v = mem_alloc((m->s->row_n + 1) * sizeof(*v));
	size_t rows = 0, n = count_ways(m, v, &rows), left = rows;
	char *s = mem_printf("%zu %s%s", rows, m->s->query.by != MEMORY_BY_TYPE ? "row" : "type",
			     rows == 1 ? " grows" : "s grow");
	char *longer;

	for (size_t i = 0; i < n; i++) {
		int last = i + 1 == WAYS_SHOWN && n > WAYS_SHOWN;

		longer = mem_printf("%s%s %zu %s", s, i ? "," : ":", last ? left : v[i].count,
				    last ? "otherwise" : v[i].words);
		free(s);
		s = longer;
		left -= v[i].count;
		if (last)
			break;
	}
	free(v);
	return s;
}

static char *subtitle(const struct memory_shown *m)
{
	static const char *const who[] = { "each PE", "the largest PE", "the job" };
	const struct memory_growth *all = &m->s->all;
	char from[QUANTITY_TEXT], to[QUANTITY_TEXT], *pes = span(m), *s;

	quantity_size_text(all->first, from);
	quantity_size_text(all->last, to);
	if (m->pes_n > 1) {
		char *how = verdict(m);

		s = mem_printf("%s PEs: %s goes from %s to %s. %s.", pes, who[m->s->query.per],
			       from, to, how);
		free(how);
	} else {
		s = mem_printf("On %s PE%s %s has %s. One number of PEs shows no growth.", pes,
			       plural(m->pes[0]),
			       who[m->s->query.per], to);
	}
	free(pes);
	return s;
}

/* How many runs, and how much of Open MPI is typed: what a reader must know before believing the rest. */
static char *evidence(const struct memory_shown *m)
{
	size_t most = m->pes[m->pes_n - 1];
	struct memory_share share;
	const struct memory_part *own = &share.part[MEMORY_OPENMPI];
	const char *mpi = memory_mpi(m->s);
	char text[2][QUANTITY_TEXT];

	memory_share_at(m, most, &share);
	if (own->bytes <= 0)
		return mem_printf("%zu run%s. %s's own bytes: none. NAME[]: blocks of a "
				  "free list.",
				  m->s->run_n, plural(m->s->run_n), mpi);
	if (!strcmp(mpi, "MPICH"))
		return mem_printf("%zu run%s. MPICH has no class system: its bytes have no type.",
				  m->s->run_n, plural(m->s->run_n));
	return mem_printf(
		"%zu run%s. On %zu PE%s %s of Open MPI's own bytes have a type, "
		"%s without slabs%s. NAME[]: blocks of a free list.",
		m->s->run_n, plural(m->s->run_n), most, plural(most),
		quantity_percent_text(memory_pct(own->typed, own->bytes), text[0]),
		quantity_percent_text(memory_pct(own->typed - own->fixed, own->bytes - own->fixed),
				      text[1]),
		m->pes_n > 1 ? " that do not grow" : "");
}

void memory_chart(const struct memory_shown *m, FILE *f)
{
	static const char *const titles[] = { "Live bytes", "Peak bytes", "Allocated bytes" };
	struct picture p = { .m = m, .x = mem_alloc(m->pes_n * sizeof(double)) };
	double most = (double)m->pes[m->pes_n - 1];
	double last = m->predict_n ? m->predict[m->predict_n - 1] : 0;
	double beyond = fmax(BEYOND, last / most);
	char *pes = span(m);
	struct chart c = { 0 };

	for (size_t k = 0; k < m->pes_n; k++)
		p.x[k] = (double)m->pes[k];
	for (size_t k = 0; k <= BEYOND_STEPS; k++)
		p.beyond_x[k] = most * pow(beyond, (double)k / BEYOND_STEPS);
	fill(&p);
	if (m->s->query.by == MEMORY_BY_TYPE)
		c.title = m->pes_n > 1 ? "Which object types grow with the number of PEs"
				       : "Memory by object type";
	else
		c.title = keep(&p, mem_printf("%s by %s",
					      m->pes_n > 1 ? "What grows with the number of PEs,"
							   : "Memory",
					      memory_by_titles[m->s->query.by]));
	c.subtitle = keep(&p, subtitle(m));
	c.method = m->pes_n < 2 ? NULL
				: "Dashed: fitted models with their 95 % intervals, as far as "
				  "they are credible. "
				  "Shares are of the growth of everything.";
	c.foot = keep(&p, evidence(m));
	c.x_title = "processing elements (PEs)";
	c.lines_title = keep(&p, mem_printf("%s, %s", titles[m->s->query.measure],
					    memory_per_titles[m->s->query.per]));
	c.bars_title = keep(&p, m->pes_n > 1 ? mem_printf("Growth from %s PEs", pes)
					     : mem_printf("Bytes on %s PE%s", pes,
							  plural(m->pes[0])));
	c.x = p.x;
	c.x_n = m->pes_n;
	c.beyond_x = p.beyond_x;
	c.beyond_n = m->pes_n > 1 ? BEYOND_STEPS + 1 : 0;
	c.mark = m->predict;
	c.mark_n = c.beyond_n ? m->predict_n : 0;
	c.line = p.line;
	c.line_n = p.line_n;
	c.bar = p.bar;
	c.bar_n = p.bar_n;
	chart_print(&c, f);
	for (size_t i = 0; i < p.line_n; i++) {
		free((double *)p.line[i].y);
		free((double *)p.line[i].beyond);
	}
	for (size_t i = 0; i < p.text_n; i++)
		free(p.text[i]);
	free(p.x);
	free(pes);
}
