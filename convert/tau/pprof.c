/*
 * pprof.c: struct profile -> the text table of TAU's pprof: each thread by inclusive time, then the
 * sum and the mean of all threads. The layout is pprof's, for eyes and for scripts that expect it.
 */
#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "convert/profile_format.h"

/* Without its name, because the texts of all paths together may be much larger than the profile. */
struct pprof_line {
	uint32_t path;
	int any;
	double calls, subrs, excl, incl;
};

struct pprof_lines {
	struct pprof_line *v;
	size_t v_n, v_cap;
};

static const char rule[] = "------------------------------------------------------------------"
			   "---------------------\n";

static int by_incl(const void *va, const void *vb, void *profile)
{
	const struct pprof_line *a = va, *b = vb;

	if (a->incl != b->incl)
		return a->incl < b->incl ? 1 : -1;
	return profile_path_order(profile, a->path, b->path);
}

/* Digits in threes: 1,234,567. */
static void put_thousands(char *out, size_t size, double v)
{
	char digits[64];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%.0f", v), k = 0;

	for (size_t i = 0; i < n && k + 2 < size; i++) {
		if (i && (n - i) % 3 == 0 && digits[i - 1] != '-')
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = 0;
}

/* Milliseconds as pprof has them: 0.0674, 24, 1,167, and from a minute on 1:10.733 or 2:01:10.733.
 */
static void time_text(char *out, size_t size, double us)
{
	double ms = us / 1000;

	if (ms < 1 || !isfinite(ms)) {
		snprintf(out, size, "%.3G", ms);
	} else if (ms < 60000) {
		put_thousands(out, size, floor(ms));
	} else {
		double s = fmod(floor(ms), 60000) / 1000, minutes = floor(ms / 60000);

		if (minutes < 60)
			snprintf(out, size, "%.0f:%06.3f", minutes, s);
		else
			snprintf(out, size, "%.0f:%02.0f:%06.3f", floor(minutes / 60),
				 fmod(minutes, 60), s);
	}
}

/* Numbers of a metric that is no time: in threes where they are whole. */
static void count_text(char *out, size_t size, double v)
{
	if (v == rint(v) && fabs(v) < 1e15)
		put_thousands(out, size, v);
	else
		snprintf(out, size, "%.7G", v);
}

static void put_lines(FILE *f, struct profile *p, struct pprof_lines *l, int time)
{
	void (*text)(char *, size_t, double) = time ? time_text : count_text;
	double whole;

	if (l->v_n)
		qsort_r(l->v, l->v_n, sizeof(*l->v), by_incl, p);
	whole = l->v_n ? l->v[0].incl : 0;
	fputs(rule, f);
	fputs(time ? "%Time    Exclusive    Inclusive       #Call      #Subrs  Inclusive Name\n"
		     "              msec   total msec                          usec/call \n"
		   : "%Time    Exclusive    Inclusive       #Call      #Subrs Count/Call Name\n"
		     "            counts total counts                                    \n",
	      f);
	fputs(rule, f);
	for (size_t i = 0; i < l->v_n; i++) {
		const struct pprof_line *x = &l->v[i];
		char excl[80], incl[80], *name = profile_path_text(p, x->path);

		text(excl, sizeof(excl), x->excl);
		text(incl, sizeof(incl), x->incl);
		fprintf(f, "%5.1f %12s %12s %11.7G %11.7G %10.0f %s\n",
			whole > 0 ? 100 * x->incl / whole : 0, excl, incl, x->calls, x->subrs,
			x->calls > 0 ? x->incl / x->calls : 0, name);
		free(name);
	}
}

static void put_events(FILE *f, const struct profile *p, const struct profile_thread *t)
{
	if (!t->sample_n)
		return;
	fputs(rule, f);
	fprintf(f, "\nUSER EVENTS Profile :NODE %d, CONTEXT %d, THREAD %d\n", t->node, t->context,
		t->thread);
	fputs(rule, f);
	fputs("NumSamples   MaxValue   MinValue  MeanValue  Std. Dev.  Event Name\n", f);
	fputs(rule, f);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		double variance = s->n > 0 ? s->sumsq / s->n - s->mean * s->mean : 0;

		char *name = profile_sample_text(p, s);

		fprintf(f, "%10.4G %10.4G %10.4G %10.4G %10.4G  %s\n", s->n, s->max, s->min,
			s->mean, sqrt(fabs(variance)), name);
		free(name);
	}
	fputs(rule, f);
}

static void put_thread(FILE *f, struct profile *p, struct profile_thread *t,
		       struct pprof_line *total)
{
	struct pprof_lines l = {0};

	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		struct pprof_line x = {.path = r->path, .calls = r->calls, .subrs = r->subrs};
		struct pprof_line *sum = &total[r->path];

		x.excl = p->metric_n ? *profile_excl(p, t, r) : 0;
		x.incl = p->metric_n ? *profile_incl(t, r) : 0;
		*array_add(&l, v) = x;
		sum->calls += x.calls;
		sum->subrs += x.subrs;
		sum->excl += x.excl;
		sum->incl += x.incl;
		sum->any = 1;
	}
	fprintf(f, "\nNODE %d;CONTEXT %d;THREAD %d:\n", t->node, t->context, t->thread);
	put_lines(f, p, &l, profile_is_time(p, 0));
	put_events(f, p, t);
	free(l.v);
}

static void put_summary(FILE *f, struct profile *p, const char *what,
			const struct pprof_line *total, double divide)
{
	struct pprof_lines l = {0};

	for (uint32_t i = 0; i < p->path_n; i++)
		if (total[i].any)
			*array_add(&l, v) = (struct pprof_line){i,
							  1,
							  total[i].calls / divide,
							  total[i].subrs / divide,
							  total[i].excl / divide,
							  total[i].incl / divide};
	fprintf(f, "\nFUNCTION SUMMARY (%s):\n", what);
	put_lines(f, p, &l, profile_is_time(p, 0));
	free(l.v);
}

void pprof_print(FILE *f, struct profile *p, size_t nth, size_t n)
{
	struct pprof_line *total = mem_alloc((p->path_n + 1) * sizeof(*total));
	size_t threads = 0;

	(void)n;
	if (p->window)
		fprintf(f, "%sWindow %s\n", nth ? "\n" : "", p->window);
	for (size_t t = 0; t < p->thread_n; t++)
		if (p->thread[t].node >= 0) {
			put_thread(f, p, &p->thread[t], total);
			threads++;
		}
	if (threads > 1) {
		put_summary(f, p, "total", total, 1);
		put_summary(f, p, "mean", total, (double)threads);
	}
	free(total);
}
