/* profile_lost.c: what a profile has that a format cannot hold. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/profile_squares.h"
#include "analyze/trace/timer_name.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_names.h"
#include "convert/io/utf8.h"

static size_t count_metrics(const struct profile *p)
{
	return p->metric_n ? p->metric_n - 1 : 0;
}

static size_t count_paths(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->path_n; i++)
		n += p->path[i].parent != PROFILE_FLAT;
	return n;
}

static size_t count_threads(const struct profile *p)
{
	return p->thread_n > 1 ? p->thread_n : 0;
}

static size_t count_derived(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		n += p->thread[i].node < 0;
	return n;
}

static size_t count_counters(const struct profile *p)
{
	return p->counter_n;
}

static size_t count_contexts(const struct profile *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++)
			n += p->thread[t].sample[i].path != PROFILE_FLAT;
	return n;
}

static size_t count_meta(const struct profile *p)
{
	size_t n = p->meta_n;

	for (size_t t = 0; t < p->thread_n; t++)
		n += p->thread[t].meta_n;
	return n;
}

static size_t count_groups(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->timer_n; i++)
		n += *p->timer[i].groups != 0;
	return n;
}

static size_t count_calls(const struct profile *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].row_n; i++)
			n += p->thread[t].row[i].calls > 0 || p->thread[t].row[i].subrs > 0;
	return n;
}

static size_t count_places(const struct profile *p)
{
	struct name_location l;
	size_t n = 0;

	for (size_t i = 0; i < p->timer_n; i++)
		n += p->timer[i].file && !name_location(p->timer[i].name, &l);
	return n;
}

static size_t count_window(const struct profile *p)
{
	return p->window || p->end_us >= p->begin_us;
}

static size_t count_fractions(const struct profile *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].values_n; i++) {
			double v = p->thread[t].values[i] * 1000;

			/* A whole number of nanoseconds may be off by what multiplication rounds.
			 */
			n += isfinite(v) && fabs(v - rint(v)) > 1e-6 * (1 + fabs(v) * 1e-9);
		}
	return n;
}

static size_t count_long(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->path_n; i++)
		n += profile_path_name(p, (uint32_t)i, NULL, 0) > UINT16_MAX;
	for (size_t i = 0; i < p->meta_n; i++)
		n += strlen(p->meta[i].value) > UINT16_MAX;
	for (size_t t = 0; t < p->thread_n; t++) {
		for (size_t i = 0; i < p->thread[t].sample_n; i++)
			n += p->thread[t].sample[i].n > INT32_MAX;
		for (size_t i = 0; i < p->thread[t].meta_n; i++)
			n += strlen(p->thread[t].meta[i].value) > UINT16_MAX;
	}
	return n;
}

static size_t count_names(const struct profile *p, int (*odd)(const char *s))
{
	size_t n = 0;

	for (size_t i = 0; i < p->timer_n; i++)
		n += odd(p->timer[i].name) || odd(p->timer[i].groups);
	for (size_t i = 0; i < p->counter_n; i++)
		n += odd(p->counter[i].name);
	return n;
}

static size_t count_attributes(const struct profile_attribute *a, size_t n,
			       int (*odd)(const char *s))
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += odd(a[i].name) || odd(a[i].value);
	return found;
}

static size_t count_metrics_named(const struct profile *p, int (*odd)(const char *s))
{
	size_t n = 0;

	for (size_t i = 0; i < p->metric_n; i++)
		n += odd(p->metric[i].name);
	return n;
}

static size_t count_texts(const struct profile *p, int (*odd)(const char *s))
{
	size_t n = count_names(p, odd) + count_metrics_named(p, odd) +
		   count_attributes(p->meta, p->meta_n, odd);

	for (size_t t = 0; t < p->thread_n; t++)
		n += count_attributes(p->thread[t].meta, p->thread[t].meta_n, odd);
	return n;
}

static int has_line(const char *s)
{
	return strpbrk(s, "\r\n") != NULL;
}

static size_t count_lines(const struct profile *p)
{
	return count_names(p, has_line) + count_metrics_named(p, has_line);
}

static int has_edge(const char *s)
{
	size_t n = strlen(s);

	return n && (*s == ' ' || *s == '\t' || strchr(" \t\r", s[n - 1]));
}

static size_t count_edges(const struct profile *p)
{
	return count_names(p, has_edge);
}

static size_t count_titles(const struct profile *p)
{
	return count_metrics_named(p, has_edge);
}

/* What no XML may have. */
static int has_control(const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);

	while (p < end) {
		uint32_t c = utf8_next(&p, end);

		if ((c < 0x20 && !strchr("\t\r\n", (int)c)) || c == 0xfffe || c == 0xffff)
			return 1;
	}
	return 0;
}

static size_t count_controls(const struct profile *p)
{
	return count_texts(p, has_control);
}

static size_t count_bytes(const struct profile *p)
{
	return count_texts(p, utf8_is_not);
}

static int has_sign(const char *s)
{
	while (isascii(*s) && (isalnum(*s) || *s == '_'))
		s++;
	return *s != 0;
}

static size_t count_signs(const struct profile *p)
{
	return count_metrics_named(p, has_sign);
}

static size_t count_below_0(const struct profile *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].values_n; i++)
			n += p->thread[t].values[i] < 0;
	return n;
}

static size_t count_nan(const struct profile *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->thread_n; t++) {
		for (size_t i = 0; i < p->thread[t].values_n; i++)
			n += !isfinite(p->thread[t].values[i]);
		for (size_t i = 0; i < p->thread[t].sample_n; i++) {
			const struct profile_sample *s = &p->thread[t].sample[i];

			n += !isfinite(s->max) + !isfinite(s->min) + !isfinite(s->mean) +
			     !isfinite(s->sumsq);
		}
	}
	return n;
}

static size_t count_semicolons(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->timer_n; i++)
		n += strchr(p->timer[i].name, ';') != NULL;
	return n;
}

static size_t count_rows(const struct profile *p)
{
	size_t n = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		n += p->thread[t].row_n + p->thread[t].sample_n;
	return n;
}

/*
 * Counts the callers of samples that a format loses: a caller has the values of the samples below
 * it, which a format that stores each value once does not store again; further values of its own
 * are lost.
 */
static size_t count_callers_of(const struct profile *p, struct profile_thread *t, size_t metric)
{
	double *own = mem_alloc((p->path_n + 1) * sizeof(*own));
	double *below = mem_alloc((p->timer_n + 1) * sizeof(*below));
	size_t n = 0;

	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		const struct profile_path *path = &p->path[r->path];
		double excl = profile_excl(p, t, r)[metric];

		own[r->path] += excl;
		if (path->parent == PROFILE_FLAT)
			continue;
		own[path->parent] -= profile_incl(t, r)[metric];
		below[path->timer] += excl;
	}
	for (size_t i = 0; i < p->path_n; i++) {
		uint32_t timer = p->path[i].timer;
		double at_root = p->path[i].parent == PROFILE_FLAT ? below[timer] : 0;

		n += own[i] - at_root > 1e-9 &&
		     profile_timer_kind(&p->timer[timer]) == TIMER_STACK;
	}
	free(own);
	free(below);
	return n;
}

static size_t count_callers(const struct profile *p)
{
	size_t n = 0, callers = 0;

	for (size_t i = 0; i < p->timer_n; i++)
		callers += profile_timer_kind(&p->timer[i]) == TIMER_STACK;
	for (size_t t = 0; t < p->thread_n && callers; t++)
		for (size_t m = 0; m < p->metric_n && p->thread[t].node >= 0; m++)
			n += count_callers_of(p, &p->thread[t], m);
	return n;
}

static const struct {
	uint32_t bit;
	const char *one, *many;
	size_t (*count)(const struct profile *p);
} losses[] = {
	{KEEPS_METRICS, "metric besides the first", "metrics besides the first", count_metrics},
	{KEEPS_PATHS, "call path", "call paths", count_paths},
	{KEEPS_THREADS, NULL, "separate threads (added up)", count_threads},
	{KEEPS_DERIVED, "derived thread", "derived threads", count_derived},
	{KEEPS_COUNTERS, "counter", "counters", count_counters},
	{KEEPS_CONTEXTS, "counter's context", "contexts of counters", count_contexts},
	{KEEPS_META, "piece of metadata", "pieces of metadata", count_meta},
	{KEEPS_GROUPS, "timer's groups", "timers' groups", count_groups},
	{KEEPS_CALLS, "number of calls", "numbers of calls", count_calls},
	{KEEPS_PLACES, "source location", "source locations", count_places},
	{KEEPS_WINDOW, "window's text and times", "windows' texts and times", count_window},
	{KEEPS_FRACTIONS, "fraction (rounded)", "fractions (rounded)",
	 count_fractions},
	{KEEPS_LONG, "long text or large number of samples (cut)",
	 "long texts or large numbers of samples (cut)", count_long},
	{KEEPS_LINES, "line end within a name (replaced by a blank)",
	 "names with line ends (replaced by blanks)", count_lines},
	{KEEPS_SEMICOLONS, "name with a semicolon (replaced by a comma)",
	 "names with semicolons (replaced by commas)", count_semicolons},
	{KEEPS_DIGITS, "row's later digits", "rows' later digits", count_rows},
	{KEEPS_CALLERS, "value of an unwound caller's own", "values of unwound callers' own",
	 count_callers},
	{KEEPS_EDGES, "name with blanks at its ends (removed)",
	 "names with blanks at their ends (removed)", count_edges},
	{KEEPS_TITLES, "metric with blanks at the ends of its name (removed)",
	 "metrics with blanks at the ends of their names (removed)", count_titles},
	{KEEPS_PATHLIKE, "name that looks like a call path or context (changed with a '-')",
	 "names that look like call paths or contexts (changed with a '-')",
	 tau_names_count},
	{KEEPS_CONTROLS, "text with control characters (replaced by U+FFFD)",
	 "texts with control characters (replaced by U+FFFD)", count_controls},
	{KEEPS_SIGNS, "metric with special characters in its name (replaced by underscores)",
	 "metrics with special characters in their names (replaced by underscores)", count_signs},
	{KEEPS_BELOW_0, "value below 0 (not included)", "values below 0 (not included)",
	 count_below_0},
	{KEEPS_NAN, "value that is not a number (not included)",
	 "values that are not numbers (not included)", count_nan},
	{KEEPS_SQUARES, "row's sum of squares", "rows' sums of squares", profile_squares_known},
	{KEEPS_BYTES, "text that is not UTF-8 (its bytes are replaced)",
	 "texts that are not UTF-8 (their bytes are replaced)", count_bytes},
};

static void lost_add(char **text, size_t n, const char *one, const char *many)
{
	char *more = mem_printf("%s%s%zu %s", *text ? *text : "", *text ? ", " : "", n,
				n == 1 ? one : many);

	free(*text);
	*text = more;
}

_Static_assert(sizeof(losses) / sizeof(*losses) <= PROFILE_LOSSES, "each has its number");

void profile_loss_add(struct profile_loss *l, const struct profile_format *f,
		      const struct profile *p)
{
	l->n++;
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (!(f->keeps & losses[i].bit))
			l->count[i] += losses[i].count(p);
}

char *profile_loss_text(const struct profile_loss *l, const struct profile_format *f)
{
	char *text = NULL, *sentence;

	if (l->n > 1 && !(f->keeps & KEEPS_SERIES))
		lost_add(&text, l->n - 1, "further window", "further windows");
	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		if (l->count[i])
			lost_add(&text, l->count[i], losses[i].one, losses[i].many);
	if (!text)
		return NULL;
	sentence = mem_printf("%s cannot contain: %s", f->name, text);
	free(text);
	return sentence;
}

char *profile_format_lost(const struct profile_format *f, const struct profile *p)
{
	struct profile_loss l = {0};

	profile_loss_add(&l, f, p);
	return profile_loss_text(&l, f);
}
