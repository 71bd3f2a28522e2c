/* memory_time.c: loads a run in slices of time, with what was live at the end of each. */
#include "cmd/report/memory/memory_time.h"

#include <math.h>
#include <string.h>

#include "convert/load.h"

/* The slices as windows: "12.5%:25%". */
static char **windows_make(size_t n)
{
	char **w = mem_alloc(n * sizeof(*w));

	for (size_t i = 0; i < n; i++)
		w[i] = mem_printf("%.10g%%:%.10g%%", 100.0 * (double)i / (double)n,
				  100.0 * (double)(i + 1) / (double)n);
	return w;
}

static int slices_load(const char *path, struct symbols_kept *kept, size_t slices,
		       struct profile ***p)
{
	char **window = windows_make(slices);
	struct load_report said = {0};
	struct load_options o = {
		.window = (const char **)window, .window_n = slices, .report = &said, .kept = kept};
	struct error e = {0};
	size_t n = 0;
	int rc = load_profiles(path, &o, p, &n, &e);

	for (size_t i = 0; i < slices; i++)
		free(window[i]);
	free(window);
	load_report_release(&said);
	if (rc < 0)
		return 0;
	if (n == slices)
		return 1;
	for (size_t i = 0; i < n; i++)
		profile_free((*p)[i]);
	free(*p);
	return 0;
}

int memory_time_load(const char *path, struct symbols_kept *kept, size_t slices, enum memory_by by,
		     struct memory_time *t)
{
	struct memory_query q = {MEMORY_LIVE, MEMORY_PER_JOB, by};
	struct profile **p;
	int known = 0;

	memset(t, 0, sizeof(*t));
	if (!slices_load(path, kept, slices, &p))
		return 0;
	t->n = slices;
	t->slice = mem_alloc(slices * sizeof(*t->slice));
	t->end_us = mem_alloc(slices * sizeof(*t->end_us));
	t->all = mem_alloc(slices * sizeof(*t->all));
	t->peak = mem_alloc(slices * sizeof(*t->peak));
	for (size_t i = 0; i < slices; i++) {
		const struct memory_value *live, *peak;

		t->end_us[i] = p[i]->end_us;
		t->slice[i] = memory_new(p[i]);
		profile_free(p[i]);
		live = &t->slice[i]->all[MEMORY_LIVE];
		peak = &t->slice[i]->all[MEMORY_PEAK];
		t->all[i] = live->known ? live->bytes : 0;
		t->peak[i] = peak->known ? peak->bytes : t->all[i];
		known |= live->known;
	}
	free(p);
	memory_series_init(&t->live, (const struct memory *const *)t->slice, slices, &q);
	if (known)
		return 1;
	memory_time_release(t);
	return 0;
}

void memory_time_release(struct memory_time *t)
{
	if (!t->n)
		return;
	memory_series_release(&t->live);
	for (size_t i = 0; i < t->n; i++)
		memory_free(t->slice[i]);
	free(t->slice);
	free(t->end_us);
	free(t->all);
	free(t->peak);
	memset(t, 0, sizeof(*t));
}

const struct memory_growth *memory_time_row(const struct memory_time *t, const char *name)
{
	for (size_t i = 0; i < t->live.row_n; i++)
		if (!strcmp(t->live.row[i].name, name))
			return &t->live.row[i];
	return NULL;
}

char *memory_time_spark(const struct memory_time *t, const struct memory_growth *g, int ascii)
{
	static const char *const levels[2][9] = {
		{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		{" ", ".", ":", "-", "=", "+", "*", "#", "@"}};
	const char *const *level = levels[ascii];
	double largest = 0;
	char *spark;

	if (!g || !t->n)
		return NULL;
	spark = mem_alloc(t->n * strlen(level[8]) + 1);
	for (size_t i = 0; i < t->n; i++)
		largest = fmax(largest, g->value[i].bytes);
	for (size_t i = 0; i < t->n; i++) {
		double share = largest > 0 ? g->value[i].bytes / largest : 0;

		strcat(spark, level[share > 0 ? (int)ceil(share * 8 - 1e-9) : 0]);
	}
	return spark;
}

struct ranked {
	double largest;
	size_t row;
};

static int compare_ranked(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;

	if (a->largest != b->largest)
		return a->largest > b->largest ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

size_t memory_time_rank(const struct memory_time *t, size_t *row)
{
	struct ranked *v = mem_alloc(t->live.row_n * sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < t->live.row_n; i++) {
		double largest = 0;

		for (size_t k = 0; k < t->n; k++)
			largest = fmax(largest, t->live.row[i].value[k].bytes);
		if (largest > 0)
			v[n++] = (struct ranked){largest, i};
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_ranked);
	for (size_t i = 0; i < n; i++)
		row[i] = v[i].row;
	free(v);
	return n;
}
