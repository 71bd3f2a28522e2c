/* trial_facts.c: loads facts about all trials, or about several runs, by name. */
#include "cmd/shared/trial_facts.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/shared/choice.h"
#include "db/meta.h"
#include "record/metadata.h"

static const struct {
	const char *key, *title;
	int number;
	const char *about;
} kinds[FACT_METADATA] = {
	[FACT_ID] = {"id", "id", 1, "number of the trial"},
	[FACT_NAME] = {"name", "name", 0, "name of the trial"},
	[FACT_PES] = {"pes", "PEs", 1, "number of PEs"},
	[FACT_THREADS] = {"threads", "threads", 1, "number of threads, without queues of devices"},
	[FACT_METRICS] = {"metrics", "metrics", 1, "number of metrics"},
	[FACT_TIMERS] = {"timers", "timers", 1, "number of timers"},
	[FACT_COUNTERS] = {"counters", "counters", 1, "number of counters"},
	[FACT_WINDOWS] = {"windows", "windows", 1, "number of windows of time"},
	[FACT_STARTED] = {"started", "started (UTC)", 0, "when the run started, in UTC"},
	[FACT_TAGS] = {"tags", "tags", 0, "its tags, separated by commas"},
};

const char *fact_key(enum fact_kind kind)
{
	return kinds[kind].key;
}

const char *fact_about(enum fact_kind kind)
{
	return kinds[kind].about;
}

int facts_open(struct db *db, struct facts *f, struct error *e)
{
	*f = (struct facts){.db = db};
	return db_list(db, 0, &f->trial, &f->trial_n, e);
}

static const char *attribute_of(const struct profile_attribute *v, size_t n, const char *name)
{
	while (n--)
		if (!strcasecmp(v[n].name, name))
			return v[n].value;
	return NULL;
}

static const char *run_meta(const struct profile *p, const char *name)
{
	const char *value = attribute_of(p->meta, p->meta_n, name);
	const struct profile_thread *t = profile_first_thread(p);

	return value || !t ? value : attribute_of(t->meta, t->meta_n, name);
}

void facts_of_runs(struct facts *f, const struct profile *const *run, const char *const *name,
		   size_t n)
{
	*f = (struct facts){.run = run};
	for (size_t i = 0; i < n; i++) {
		const struct profile_thread *first = profile_first_thread(run[i]);
		double start = profile_meta_number(run[i], UINT32_MAX, TAU_META_STARTING_TIMESTAMP);
		struct db_trial *t = array_add(f, trial);

		if (isnan(start) && first)
			start = profile_meta_number(run[i], (uint32_t)(first - run[i]->thread),
						    TAU_META_STARTING_TIMESTAMP);
		*t = (struct db_trial){
			.id = (int64_t)i + 1,
			.name = mem_string(name[i]),
			.nodes = (int64_t)profile_pes(run[i]),
			.metrics = (int64_t)run[i]->metric_n,
			.timers = (int64_t)run[i]->timer_n,
			.counters = (int64_t)run[i]->counter_n,
			.start_us = start,
		};
		array_add(t, window)->end_us = -1;
		t->threads = (int64_t)waiting_threads(run[i]);
	}
}

void facts_release(struct facts *f)
{
	for (size_t c = 0; c < f->column_n; c++) {
		for (size_t i = 0; f->column[c].value && i < f->trial_n; i++)
			free(f->column[c].value[i]);
		free(f->column[c].value);
		free(f->column[c].key);
	}
	free(f->column);
	db_trials_free(f->trial, f->trial_n);
}

/* Values come by trial, as the trials do. */
struct taking {
	struct facts *f;
	char **value;
	size_t at, found;
};

static void receive_value(void *to, int64_t trial, const char *value)
{
	struct taking *t = to;

	while (t->at < t->f->trial_n && t->f->trial[t->at].id < trial)
		t->at++;
	if (t->at == t->f->trial_n || t->f->trial[t->at].id != trial)
		return;
	free(t->value[t->at]);
	t->value[t->at] = mem_string(value);
	t->found++;
}

static void runs_meta(struct taking *t, const char *name)
{
	for (size_t i = 0; i < t->f->trial_n; i++) {
		const char *value = run_meta(t->f->run[i], name);

		if (value)
			receive_value(t, t->f->trial[i].id, value);
	}
}

static void names_of(struct names *out, const struct profile_attribute *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		names_add(out, v[i].name, strlen(v[i].name));
}

static void runs_names(const struct facts *f, struct names *out)
{
	for (size_t i = 0; i < f->trial_n; i++) {
		const struct profile_thread *t = profile_first_thread(f->run[i]);

		names_of(out, f->run[i]->meta, f->run[i]->meta_n);
		if (t)
			names_of(out, t->meta, t->meta_n);
	}
}

static int unknown(struct facts *f, const char *what, const char *name, struct error *e)
{
	struct names known = {0};
	char *near;
	int code = f->db ? db_meta_names(f->db, &known, e) : 0;

	if (!f->db)
		runs_names(f, &known);
	for (size_t i = 0; i < FACT_METADATA; i++)
		names_add(&known, kinds[i].key, strlen(kinds[i].key));
	if (code == 0) {
		near = choice_near(name, (const char *const *)known.name, known.name_n);
		code = error_set(e, ERROR_USAGE, "%s: no %s has metadata '%s'%s", what,
				 f->db ? "trial" : "run", name, near);
		free(near);
	}
	names_release(&known);
	return code;
}

int facts_column(struct facts *f, const char *what, const char *name, size_t *out, struct error *e)
{
	struct taking t = {.f = f};
	struct fact_column *c;
	size_t kind = 0;
	int code = 0;

	for (*out = 0; *out < f->column_n; ++*out)
		if (!strcasecmp(f->column[*out].key, name))
			return 0;
	while (kind < FACT_METADATA && strcasecmp(kinds[kind].key, name) != 0)
		kind++;
	if (kind >= FACT_TAGS) {
		t.value = mem_alloc((f->trial_n + 1) * sizeof(*t.value));
		if (!f->db)
			runs_meta(&t, name);
		else
			code = db_meta_values(f->db, kind == FACT_TAGS ? DB_META_TAGS : name,
					      receive_value, &t, e);
	}
	if (code == 0 && kind == FACT_METADATA && !t.found && f->trial_n)
		code = unknown(f, what, name, e);
	c = array_add(f, column);
	c->kind = (enum fact_kind)kind;
	c->key = mem_string(kind < FACT_METADATA ? kinds[kind].key : name);
	c->title = kind < FACT_METADATA ? kinds[kind].title : c->key;
	c->value = t.value;
	return code;
}

/* All metadata, which come in one pass. */
struct taking_all {
	struct facts *f;
	struct names key; /* in small letters */
	size_t *column;   /* by key; SIZE_MAX: it is no column, or was one before */
	size_t column_n, column_cap;
	size_t trial; /* number of that of the last value */
};

static size_t column_new(struct facts *f, const char *name)
{
	struct fact_column *c;

	for (size_t i = 0; i < f->column_n; i++)
		if (!strcasecmp(f->column[i].key, name))
			return SIZE_MAX;
	for (size_t i = 0; i < FACT_METADATA; i++)
		if (!strcasecmp(kinds[i].key, name))
			return SIZE_MAX;
	c = array_add(f, column);
	c->kind = FACT_METADATA;
	c->title = c->key = mem_string(name);
	c->value = mem_alloc((f->trial_n + 1) * sizeof(*c->value));
	return f->column_n - 1;
}

static int trial_order(const void *key, const void *of)
{
	int64_t id = *(const int64_t *)key, other = ((const struct db_trial *)of)->id;

	return (id > other) - (id < other);
}

static void receive_any(void *to, int64_t trial, const char *name, const char *value)
{
	struct taking_all *t = to;
	struct facts *f = t->f;
	size_t n = strlen(name), at;
	char *key = mem_string(name), **place;

	for (size_t i = 0; i < n; i++)
		key[i] = (char)tolower((unsigned char)key[i]);
	at = names_add(&t->key, key, n);
	free(key);
	if (at == t->column_n)
		*array_add(t, column) = column_new(f, name);
	if (t->column[at] == SIZE_MAX)
		return;
	if (t->trial >= f->trial_n || f->trial[t->trial].id != trial) {
		const struct db_trial *of =
			f->trial_n ? bsearch(&trial, f->trial, f->trial_n, sizeof(*of), trial_order)
				   : NULL;

		if (!of)
			return;
		t->trial = (size_t)(of - f->trial);
	}
	place = &f->column[t->column[at]].value[t->trial];
	free(*place);
	*place = mem_string(value);
}

int facts_all(struct facts *f, struct error *e)
{
	struct taking_all t = {.f = f};
	int code = db_meta_each(f->db, receive_any, &t, e);

	names_release(&t.key);
	free(t.column);
	return code;
}

int fact_is_number(enum fact_kind kind)
{
	return kind < FACT_METADATA && kinds[kind].number;
}

int64_t fact_number(const struct facts *f, size_t column, size_t trial)
{
	const struct db_trial *t = &f->trial[trial];

	switch (f->column[column].kind) {
	case FACT_ID:
		return t->id;
	case FACT_PES:
		return t->nodes;
	case FACT_THREADS:
		return t->threads;
	case FACT_METRICS:
		return t->metrics;
	case FACT_TIMERS:
		return t->timers;
	case FACT_COUNTERS:
		return t->counters;
	case FACT_WINDOWS:
		return (int64_t)t->window_n;
	default:
		return 0;
	}
}

const char *fact_text(const struct facts *f, size_t column, size_t trial, char buf[32])
{
	const struct fact_column *c = &f->column[column];

	if (c->value)
		return c->value[trial];
	if (c->kind == FACT_NAME)
		return f->trial[trial].name;
	if (c->kind == FACT_STARTED)
		return *db_date(f->trial[trial].start_us, buf) ? buf : NULL;
	snprintf(buf, 32, "%" PRId64, fact_number(f, column, trial));
	return buf;
}

char *db_date(double us, char buf[32])
{
	time_t seconds;
	struct tm tm;

	*buf = 0;
	if (us >= 0 && us < 4e17) {
		seconds = (time_t)(us / 1e6);
		if (gmtime_r(&seconds, &tm))
			strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm);
	}
	return buf;
}
