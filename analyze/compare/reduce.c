/* reduce.c: reads the rules of tau_reduce, and finds the regions to which one applies. */
#include "analyze/compare/reduce.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analyze/trace/region_work.h"

enum field { CALLS, SUBRS, EXCL, INCL, PER_CALL, PERCENT };

static const struct {
	const char *name;
	enum field field;
} fields[] = {{"numcalls", CALLS}, {"numsubs", SUBRS},   {"usecs/call", PER_CALL},
	      {"usec", EXCL},      {"cumusec", INCL},    {"counts/call", PER_CALL},
	      {"count", EXCL},     {"totalcount", INCL}, {"percent", PERCENT}};
static const char *const operators[] = {">=", "<=", ">", "<", "="};

struct condition {
	enum field field;
	int op; /* index into operators[] */
	double number;
};

struct reduce_rule {
	char *text, *group; /* group NULL: all */
	struct condition *v;
	size_t v_n, v_cap;
};

struct reduce_rules {
	struct reduce_rule *rule;
	size_t rule_n, rule_cap;
};

struct reduce_rules *reduce_rules_new(void)
{
	return mem_alloc(sizeof(struct reduce_rules));
}

static const char *blanks(const char *s)
{
	return s + strspn(s, " \t\r");
}

/* Reads one condition; NULL: the text is not a condition. */
static const char *condition_read(const char *s, struct condition *c)
{
	size_t i = 0, n = sizeof(fields) / sizeof(*fields);
	char *end;

	s = blanks(s);
	while (i < n && strncmp(s, fields[i].name, strlen(fields[i].name)))
		i++;
	if (i == n)
		return NULL;
	c->field = fields[i].field;
	s = blanks(s + strlen(fields[i].name));
	for (c->op = 0; c->op < 5 && strncmp(s, operators[c->op], strlen(operators[c->op]));)
		c->op++;
	if (c->op == 5)
		return NULL;
	s = blanks(s + strlen(operators[c->op]));
	c->number = strtod(s, &end);
	return end == s || !isfinite(c->number) ? NULL : blanks(end);
}

static int rule_read(struct reduce_rule *rule, const char *line, size_t n, const char *where,
		     struct error *e)
{
	const char *s, *colon;

	rule->text = mem_printf("%.*s", (int)n, line);
	s = rule->text;
	colon = strchr(s, ':');
	if (colon) {
		rule->group = mem_printf("%.*s", (int)(colon - s), s);
		s = colon + 1;
	}
	do {
		s = condition_read(s + (*s == '&'), array_add(rule, v));
	} while (s && *s == '&');
	if (s && !*s)
		return 0;
	return error_set(e, ERROR_USAGE,
			 "%s: '%s' is not a rule; use FIELD > NUMBER & ..., FIELD one of "
			 "numcalls, numsubs, usec, cumusec, usecs/call, percent, count, "
			 "totalcount, counts/call",
			 where, rule->text);
}

int reduce_rules_add(struct reduce_rules *r, const char *text, const char *where, struct error *e)
{
	int rc = 0;

	while (*text && !rc) {
		const char *line = blanks(text);
		size_t n = strcspn(line, "\n"), whole = n;

		if (memchr(line, '#', n))
			n = (size_t)((const char *)memchr(line, '#', n) - line);
		while (n && isspace((unsigned char)line[n - 1]))
			n--;
		if (n)
			rc = rule_read(array_add(r, rule), line, n, where, e);
		text = line + whole + (line[whole] == '\n');
	}
	return rc;
}

size_t reduce_rules_count(const struct reduce_rules *r)
{
	return r->rule_n;
}

const char *reduce_rule_text(const struct reduce_rules *r, size_t rule)
{
	return r->rule[rule].text;
}

void reduce_rules_free(struct reduce_rules *r)
{
	for (size_t i = 0; i < r->rule_n; i++) {
		free(r->rule[i].text);
		free(r->rule[i].group);
		free(r->rule[i].v);
	}
	free(r->rule);
	free(r);
}

struct values {
	double calls, subrs, excl, incl, largest;
};

static int holds(const struct condition *c, const struct values *v)
{
	const double value[] = {v->calls,
				v->subrs,
				v->excl,
				v->incl,
				v->calls > 0 ? v->incl / v->calls : NAN,
				v->largest > 0 ? 100 * v->incl / v->largest : NAN};
	double x = value[c->field];

	switch (c->op) {
	case 0:
		return x >= c->number;
	case 1:
		return x <= c->number;
	case 2:
		return x > c->number;
	case 3:
		return x < c->number;
	default:
		return x == c->number;
	}
}

static size_t rule_of(const struct reduce_rules *r, const char *groups, const struct values *v)
{
	for (size_t i = 0; i < r->rule_n; i++) {
		const struct reduce_rule *rule = &r->rule[i];
		int all = !rule->group || region_in_group(groups, rule->group);

		for (size_t k = 0; k < rule->v_n && all; k++)
			all = holds(&rule->v[k], v);
		if (all)
			return i;
	}
	return SIZE_MAX;
}

static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct reduce_row *a = va, *b = vb;
	const struct profile *p = arg;

	if (a->calls != b->calls)
		return a->calls > b->calls ? -1 : 1;
	return strcmp(p->timer[a->timer].name, p->timer[b->timer].name);
}

static void thread_add(const struct profile *p, const struct profile_thread *t,
		       const struct reduce_rules *r, struct reduce_row *row)
{
	struct values v = {0};

	for (size_t i = 0; i < t->row_n && p->metric_n; i++)
		v.largest = fmax(v.largest, t->values[t->row[i].first]);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *from = &t->row[i];
		const struct profile_timer *timer = &p->timer[p->path[from->path].timer];
		struct reduce_row *to = &row[p->path[from->path].timer];

		if (p->path[from->path].parent != PROFILE_FLAT ||
		    profile_timer_kind(timer) != TIMER_MEASURED)
			continue;
		v.calls = from->calls;
		v.subrs = from->subrs;
		v.incl = p->metric_n ? t->values[from->first] : NAN;
		v.excl = p->metric_n ? t->values[from->first + p->metric_n] : NAN;
		to->calls += v.calls;
		to->incl += v.incl;
		if (to->rule == SIZE_MAX)
			to->rule = rule_of(r, timer->groups ? timer->groups : "", &v);
	}
}

struct reduce_row *reduce_make(const struct profile *p, const struct reduce_rules *r, size_t *n)
{
	struct reduce_row *row = mem_alloc((p->timer_n + 1) * sizeof(*row));

	*n = 0;
	for (uint32_t i = 0; i < p->timer_n; i++)
		row[i] = (struct reduce_row){i, SIZE_MAX, 0, 0};
	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].node >= 0)
			thread_add(p, &p->thread[i], r, row);
	for (size_t i = 0; i < p->timer_n; i++)
		if (row[i].calls > 0)
			row[(*n)++] = row[i];
	if (*n)
		qsort_r(row, *n, sizeof(*row), compare_rows, (void *)p);
	return row;
}
