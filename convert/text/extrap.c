/* extrap.c: reads experiments in the text format of Extra-P. */
#include "convert/text/extrap.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/profile/derived_threads.h"
#include "convert/io/blob.h"

#define POINTS_MAX 4096
#define PES_MAX	   2147483647.0

struct extrap_reader {
	const char *path;
	struct error *e;
	size_t line, parameters;
	struct {
		double *v;
		size_t v_n, v_cap;
	} point;
	struct extrap *out;
	char *region, *metric;
	size_t at; /* point of the next DATA */
	struct names metrics, regions;
	/* Means of what was read, by point; profiles are made when all metrics are known. */
	struct datum {
		uint32_t metric;
		size_t point;
		uint32_t region;
		double mean;
	} *datum;
	size_t datum_n, datum_cap;
};

static int bad(struct extrap_reader *r, const char *what)
{
	return error_set(r->e, ERROR_INPUT, "%s: line %zu: %s", r->path, r->line, what);
}

/* The rest of a line if it begins with the word; NULL: it does not. */
static const char *rest_after(const char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) != 0 || (line[n] && !isspace((unsigned char)line[n]) &&
					    line[n] != '('))
		return NULL;
	return line + n + strspn(line + n, " \t");
}

int extrap_is(const unsigned char *p, size_t n)
{
	const char *s = (const char *)p, *end = s + n;

	while (s < end && (*s == '#' || isspace((unsigned char)*s)))
		s += *s == '#' ? strcspn(s, "\n") : 1;
	return s < end && (rest_after(s, "PARAMETER") || rest_after(s, "POINTS"));
}

/* ---- lines ---- */

static int read_points(struct extrap_reader *r, const char *s)
{
	int open = 0, inside = 0;

	for (;;) {
		char *end;
		double value;

		s += strspn(s, " \t,");
		if (*s == '(' && !open) {
			open = 1;
			inside = 0;
			s++;
			continue;
		}
		if (*s == ')' && open) {
			open = 0;
			s++;
			continue;
		}
		if (!*s)
			return open ? bad(r, "a parenthesis is not closed") : 0;
		value = strtod(s, &end);
		if (end == s)
			return bad(r, "POINTS: expected numbers");
		if (open && inside++)
			return bad(r, "a point has several parameters; only one is supported");
		if (!(value >= 1 && value <= PES_MAX) || value != floor(value))
			return bad(r, "POINTS: a point is not a whole number from 1 on");
		if (r->point.v_n == POINTS_MAX)
			return bad(r, "more than 4096 points");
		for (size_t i = 0; i < r->point.v_n; i++)
			if (r->point.v[i] == value)
				return bad(r, "POINTS: a point is there twice");
		*array_add(&r->point, v) = value;
		s = end;
	}
}

static int read_data(struct extrap_reader *r, const char *s)
{
	double sum = 0;
	size_t n = 0;
	char *end;
	const char *metric = r->metric ? r->metric : "value",
		   *region = r->region ? r->region : "program";

	for (s += strspn(s, " \t"); *s; s = end + strspn(end, " \t")) {
		double value = strtod(s, &end);

		if (end == s || !isfinite(value))
			return bad(r, "DATA: expected numbers");
		sum += value;
		n++;
	}
	if (!n)
		return bad(r, "DATA without numbers");
	if (r->at >= r->point.v_n)
		return bad(r, "more lines of DATA than points");
	*array_add(r, datum) = (struct datum){
		.metric = names_add(&r->metrics, metric, strlen(metric)),
		.point = r->at++,
		.region = names_add(&r->regions, region, strlen(region)),
		.mean = sum / (double)n,
	};
	r->out->least = !r->out->least || n < r->out->least ? n : r->out->least;
	r->out->most = n > r->out->most ? n : r->out->most;
	return 0;
}

/* All points have DATA before something else begins. */
static int data_ends(struct extrap_reader *r)
{
	if (r->at && r->at < r->point.v_n)
		return bad(r, "fewer lines of DATA than points");
	r->at = 0;
	return 0;
}

static int name_parse(struct extrap_reader *r, char **name, const char *s)
{
	if (!*s)
		return bad(r, "a name is missing");
	free(*name);
	*name = mem_string(s);
	return data_ends(r);
}

static int read_line(struct extrap_reader *r, const char *line)
{
	const char *s;

	if (!*line || *line == '#')
		return 0;
	if ((s = rest_after(line, "DATA")))
		return read_data(r, s);
	if ((s = rest_after(line, "REGION")))
		return name_parse(r, &r->region, s);
	if ((s = rest_after(line, "METRIC")))
		return name_parse(r, &r->metric, s);
	if (rest_after(line, "PARAMETER"))
		return r->parameters++ ? bad(r, "a second PARAMETER; only one is supported") : 0;
	if ((s = rest_after(line, "POINTS")))
		return r->datum_n ? bad(r, "POINTS after DATA") : read_points(r, s);
	return bad(r, "expected PARAMETER, POINTS, METRIC, REGION or DATA");
}

static int read_lines(struct extrap_reader *r, const unsigned char *p, size_t n)
{
	const char *s = (const char *)p, *end = s + n;
	int code = memchr(p, 0, n) ? bad(r, "a byte is 0") : 0;

	while (!code && s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s)), *from = s, *to;
		char *line;

		to = stop ? stop : end;
		s = stop ? stop + 1 : end;
		while (from < to && isspace((unsigned char)*from))
			from++;
		while (to > from && isspace((unsigned char)to[-1]))
			to--;
		line = mem_printf("%.*s", (int)(to - from), from);
		r->line++;
		code = read_line(r, line);
		free(line);
	}
	if (!code)
		code = data_ends(r);
	if (!code && !r->datum_n)
		code = bad(r, "there are no DATA");
	return code;
}

/* ---- profiles ---- */

/* A profile of the PEs of a point: their sums, and their largest values, which are the means. */
static struct profile *profile_make(const struct extrap_reader *r, size_t point, uint32_t thread[2])
{
	struct profile *p = profile_new();

	for (size_t i = 0; i < r->metrics.name_n; i++)
		profile_add_metric(p, r->metrics.name[i]);
	p->summary = (struct profile_summary){.pes = (size_t)r->point.v[point],
					      .threads = (size_t)r->point.v[point],
					      .contexts = 1,
					      .per_context = 1};
	thread[0] = profile_add_thread(p, STATS_TOTAL, STATS_TOTAL, STATS_TOTAL);
	thread[1] = profile_add_thread(p, STATS_MAX, STATS_MAX, STATS_MAX);
	return p;
}

static void datum_put(const struct extrap_reader *r, struct profile *p, const uint32_t thread[2],
		      const struct datum *d)
{
	uint32_t path = profile_add_path(
		p, profile_add_timer(p, r->regions.name[d->region], "", NULL, 0), PROFILE_FLAT);
	double us = profile_is_time(p, d->metric) ? 1e6 : 1, n = r->point.v[d->point];

	for (size_t i = 0; i < 2; i++) {
		struct profile_thread *t = &p->thread[thread[i]];
		double value = d->mean * us * (i ? 1 : n);

		/* Each path has its row when it is new, so rows are in the order of paths. */
		struct profile_row *row = path < t->row_n ? &t->row[path]
							  : profile_add_row(p, thread[i], path);

		row->calls = i ? 1 : n;
		profile_incl(t, row)[d->metric] = value;
		profile_excl(p, t, row)[d->metric] = value;
	}
}

/* Each point has a profile with all regions, and each region a value of each metric. */
static int check_size(const struct extrap_reader *r, size_t n)
{
	uint64_t names = 0, cells = (uint64_t)r->metrics.name_n * r->regions.name_n;

	for (size_t i = 0; i < r->regions.name_n; i++)
		names += r->regions.length[i];
	for (size_t i = 0; i < r->metrics.name_n; i++)
		names += r->metrics.length[i];
	if (blob_allows(n, (names + cells * 4 * sizeof(double)) * r->point.v_n))
		return 0;
	return error_set(r->e, ERROR_INPUT,
			 "%s: most of its %zu metrics, %zu regions and %zu points have no DATA "
			 "together, or the names are "
			 "long: all would need many times the memory of the file",
			 r->path, r->metrics.name_n, r->regions.name_n, r->point.v_n);
}

static void profiles_make(struct extrap_reader *r)
{
	uint32_t(*thread)[2] = mem_alloc((r->point.v_n + 1) * sizeof(*thread));

	r->out->profile = mem_alloc((r->point.v_n + 1) * sizeof(struct profile *));
	r->out->point_n = r->point.v_n;
	for (size_t i = 0; i < r->point.v_n; i++)
		r->out->profile[i] = profile_make(r, i, thread[i]);
	for (size_t i = 0; i < r->datum_n; i++)
		datum_put(r, r->out->profile[r->datum[i].point], thread[r->datum[i].point],
			  &r->datum[i]);
	for (size_t i = 0; i < r->point.v_n; i++)
		profile_sort(r->out->profile[i]);
	free(thread);
}

int extrap_read(const char *path, const unsigned char *p, size_t n, struct extrap *out,
		struct error *e)
{
	struct extrap_reader r = {.path = path, .e = e, .out = out};
	int code;

	*out = (struct extrap){0};
	code = read_lines(&r, p, n);
	code = code ? code : check_size(&r, n);
	if (!code)
		profiles_make(&r);
	names_release(&r.metrics);
	names_release(&r.regions);
	free(r.datum);
	free(r.point.v);
	free(r.region);
	free(r.metric);
	return code;
}

void extrap_release(struct extrap *x)
{
	for (size_t i = 0; i < x->point_n; i++)
		if (x->profile[i])
			profile_free(x->profile[i]);
	free(x->profile);
	*x = (struct extrap){0};
}
