/* tau_profile_read.c: TAU profile directories -> struct profile (format: tau_profile.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analyze/context.h"
#include "tau_dir.h"
#include "tau_metadata.h"
#include "tau_profile.h"
#include "tau_text.h"

/*
 * Where on the current thread something stands: valid while serial is that of the current file, or for a row one less, when this
 * file has not told of it yet.
 */
struct mark {
	uint32_t serial, row; /* row: index into the thread's rows or samples */
};

struct reader {
	struct profile *p;
	struct tau_text text; /* the file being read */
	uint32_t metric, thread, serial;
	int fresh;	/* no metric before has this thread */
	size_t before;	/* rows of the thread that metrics before have made */
	size_t told;	/* of which this file has told */
	uint64_t *missing; /* per metric: rows without a value */
	struct mark *mark; /* per path: the row of this thread */
	size_t mark_n, mark_cap;
	struct names events;       /* of this file, blanks trimmed */
	struct names sample_names; /* (counter, path) -> number, over all files */
	struct mark *sample_mark;  /* per such number: the sample of this thread */
	size_t sample_mark_n, sample_mark_cap;
	struct tau_metadata
		common; /* attributes equal on all threads so far; name NULL: not any more */
};

static struct mark *mark_of(struct reader *r, uint32_t path)
{
	while (r->mark_n < r->p->path_n)
		array_add(r, mark)->serial = 0;
	return &r->mark[path];
}

/* The row of this thread for path, made where metrics before have none. */
static struct profile_row *row_for(struct reader *r, uint32_t path)
{
	struct mark *m = mark_of(r, path);

	if (m->serial == r->serial - 1) {
		m->serial = r->serial;
		r->told++;
	} else if (m->serial != r->serial) {
		profile_add_row(r->p, r->thread, path);
		*m = (struct mark){ r->serial, (uint32_t)r->p->thread[r->thread].row_n - 1 };
		for (uint32_t k = 0; k < r->metric; k++)
			r->missing[k]++;
	}
	return &r->p->thread[r->thread].row[m->row];
}

static int read_timer(struct reader *r, char *line)
{
	struct profile_thread *t;
	struct profile_row *row;
	char *groups = tau_text_groups(line), *rest, *name, *shown;
	double v[5];
	int callpath, no_groups;
	uint32_t path;

	if (!groups)
		return BAD(&r->text, "GROUP=\" has no closing quote");
	name = tau_text_name(line, &rest);
	if (!name)
		return BAD(&r->text, "expected a timer's name in quotes");
	if (!tau_text_values(&rest, v, 5))
		return BAD(&r->text, "timer '%.200s' needs five numbers behind its name", name);
	no_groups = !*groups;
	callpath = tau_text_callpath(groups);
	shown = mem_printf("%.200s", name);
	if (callpath || (no_groups && strstr(name, " => ")))
		path = context_add_path(r->p, name, groups);
	else
		path = profile_add_path(r->p, context_add_timer(r->p, name, groups), PROFILE_FLAT);
	if (path == PROFILE_FLAT)
		BAD(&r->text, "call path '%s' has an empty element", shown);
	free(shown);
	if (path == PROFILE_FLAT)
		return ERROR_INPUT;
	row = row_for(r, path);
	t = &r->p->thread[r->thread];
	if ((size_t)(row - t->row) >= r->before) {
		row->calls += v[0];
		row->subrs += v[1];
	}
	profile_excl(r->p, t, row)[r->metric] += v[2];
	profile_incl(t, row)[r->metric] += v[3];
	return 0;
}

/* The mark of (counter, path); its serial tells whether this thread has that sample already. */
static struct mark *sample_mark_of(struct reader *r, uint32_t counter, uint32_t path)
{
	uint32_t key[2] = { counter, path },
		 id = names_add(&r->sample_names, (const char *)key, sizeof(key));

	while (r->sample_mark_n <= id)
		array_add(r, sample_mark)->serial = 0;
	return &r->sample_mark[id];
}

static struct profile_sample *new_sample(struct reader *r, struct mark *m, uint32_t counter,
					 uint32_t path)
{
	*m = (struct mark){ r->serial, (uint32_t)r->p->thread[r->thread].sample_n };
	return profile_add_sample(r->p, r->thread, counter, path);
}

static uint32_t add_counter(struct reader *r, const char *name)
{
	return profile_add_counter(r->p, name, profile_counter_kind_of(name));
}

/* A row for the event; the same text a second time is a counter of its own, and a third time adds up. */
static struct profile_sample *sample_for(struct reader *r, const char *name)
{
	size_t base = context_base(r->p, &r->events, name);
	struct mark *m;
	uint32_t counter;

	if (base) {
		char *event = mem_printf("%.*s", (int)base, name);
		uint32_t path = context_add_path(r->p, strstr(name + base, " : ") + 3, NULL);

		counter = add_counter(r, event);
		free(event);
		m = path == PROFILE_FLAT ? NULL : sample_mark_of(r, counter, path);
		if (m && m->serial != r->serial)
			return new_sample(r, m, counter, path);
	}
	counter = add_counter(r, name);
	m = sample_mark_of(r, counter, PROFILE_FLAT);
	return m->serial == r->serial ? &r->p->thread[r->thread].sample[m->row]
				      : new_sample(r, m, counter, PROFILE_FLAT);
}

static void sample_merge(struct profile_sample *s, const double *v)
{
	double n = s->n + v[0];

	s->max = s->n > 0 ? fmax(s->max, v[1]) : v[1];
	s->min = s->n > 0 ? fmin(s->min, v[2]) : v[2];
	s->mean = s->n > 0 && n > 0 ? (s->mean * s->n + v[3] * v[0]) / n : v[3];
	s->sumsq += v[4];
	s->n = n;
}

/* Two passes: which reading of "E : x" is right depends on the other events' names. */
static int read_events(struct reader *r, size_t n)
{
	struct event {
		char *name;
		double v[5];
	} *event = NULL;
	int whole = 1, code = 0;
	size_t n_read = 0;
	struct {
		struct event *v;
		size_t v_n, v_cap;
	} list = { 0 };

	names_release(&r->events);
	while (code == 0 && n_read < n) {
		char *line = tau_text_line(&r->text, &whole), *rest;

		if (line && *line == '#')
			continue;
		n_read++;
		event = array_add(&list, v);
		event->name = line ? tau_text_name(line, &rest) : NULL;
		if (!line)
			code = BAD(&r->text, "the file ends after %zu of %zu user events",
				   n_read - 1, n);
		else if (!event->name)
			code = BAD(&r->text, "expected a user event's name in quotes");
		else if (!tau_text_values(&rest, event->v, 5) || !whole)
			code = BAD(&r->text, "user event '%.200s' %s", event->name,
				   whole ? "needs five numbers behind its name"
					 : "is cut short: the line has no end");
		else
			names_add(&r->events, event->name, strlen(event->name));
	}
	for (size_t i = 0; code == 0 && i < list.v_n && r->fresh; i++)
		sample_merge(sample_for(r, list.v[i].name), list.v[i].v);
	free(list.v);
	return code;
}

/* Behind the timers: aggregates, then, if there are any, user events. */
static int read_tail(struct reader *r)
{
	char *line = tau_text_line(&r->text, NULL), *rest;
	int64_t n = line ? tau_text_count(line, &rest) : -1;
	char number[24];

	if (n < 0 || strcmp(rest, "aggregates") != 0)
		return BAD(&r->text, "expected '<n> aggregates' behind the timers%s",
			   line ? "" : ", found the end of the file");
	for (int64_t i = 0; i < n; i++)
		if (!tau_text_line(&r->text, NULL))
			return BAD(&r->text, "the file ends after %jd of %jd aggregates",
				   (intmax_t)i, (intmax_t)n);
	if (n > 0 && r->fresh) {
		snprintf(number, sizeof(number), "%jd", (intmax_t)n);
		profile_set_meta(r->p, r->thread, "TAU Aggregates Skipped", number);
	}
	line = tau_text_line(&r->text, NULL);
	if (!line)
		return 0;
	n = tau_text_count(line, &rest);
	if (n < 0 || strcmp(rest, "userevents") != 0)
		return BAD(&r->text, "expected '<n> userevents'");
	if (read_events(r, (size_t)n) < 0)
		return ERROR_INPUT;
	line = tau_text_line(&r->text, NULL);
	return line ? BAD(&r->text, "more than %jd user events", (intmax_t)n) : 0;
}

/*
 * The second line: "# Name Calls ... # <metadata>...". Old files lack it, or its end. The metadata may hold line ends.
 */
static int read_metadata(struct reader *r, struct tau_metadata *out)
{
	char *begin = strstr(r->text.at, "<metadata>"), *line_end = strchr(r->text.at, '\n');
	const char *cursor, *what;

	if (*r->text.at != '#')
		return 0;
	if (begin && (!line_end || begin < line_end)) {
		int code;

		cursor = begin;
		code = tau_metadata_read(&cursor, r->text.end, out, &what);
		r->text.line++;
		for (const char *s = r->text.at; s < cursor; s++)
			r->text.line += *s == '\n';
		if (code < 0)
			return BAD(&r->text, "%s", what);
		r->text.at += cursor - r->text.at;
		r->text.line--;
	}
	tau_text_skip(&r->text);
	return 0;
}

static int same_attribute(const struct profile_attribute *a, const struct profile_attribute *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->value, b->value);
}

/* The last one holds, should a name stand several times. hint: where it is likely to be. */
static const struct profile_attribute *
find_attribute(const struct tau_metadata *m, const struct profile_attribute *a, size_t hint)
{
	if (hint < m->v_n && same_attribute(&m->v[hint], a))
		return &m->v[hint];
	for (size_t i = m->v_n; i-- > 0;)
		if (!strcmp(m->v[i].name, a->name))
			return &m->v[i];
	return NULL;
}

/* One attribute is not common any more: the threads before get their own copies. */
static void make_own(struct reader *r, struct profile_attribute *a)
{
	for (uint32_t t = 0; t < r->thread; t++)
		profile_set_meta(r->p, t, a->name, a->value);
	free(a->name);
	free(a->value);
	a->name = a->value = NULL;
}

static void drop_metric_name(struct tau_metadata *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->v_n; i++) {
		if (!strcmp(m->v[i].name, "Metric Name")) {
			free(m->v[i].name);
			free(m->v[i].value);
		} else {
			m->v[kept++] = m->v[i];
		}
	}
	m->v_n = kept;
}

/*
 * Takes this thread's metadata: what is common stays in r->common, the rest goes to the threads. What the first thread has
 * and another lacks is common too: TAU leaves it out of the files of the other ranks. Empties m.
 */
static void keep_metadata(struct reader *r, struct tau_metadata *m)
{
	drop_metric_name(m);
	if (r->thread == 0) {
		r->common = *m;
		memset(m, 0, sizeof(*m));
		return;
	}
	for (size_t i = 0; i < r->common.v_n; i++) {
		struct profile_attribute *a = &r->common.v[i];
		const struct profile_attribute *own = a->name ? find_attribute(m, a, i) : NULL;

		if (own && strcmp(own->value, a->value) != 0)
			make_own(r, a);
	}
	for (size_t i = 0; i < m->v_n; i++) {
		const struct profile_attribute *a = &m->v[i];
		int common = i < r->common.v_n && r->common.v[i].name &&
			     same_attribute(&r->common.v[i], a);

		for (size_t k = 0; !common && k < r->common.v_n; k++)
			common = r->common.v[k].name && !strcmp(r->common.v[k].name, a->name);
		if (!common)
			profile_set_meta(r->p, r->thread, a->name, a->value);
	}
	tau_metadata_release(m);
}

/* Reads the first line. *metric points into the text: "" for old files that do not name it. */
static int read_header(struct reader *r, size_t *timers, char **metric)
{
	static const char word[] = "templated_functions";
	char *line = tau_text_line(&r->text, NULL), *rest;
	int64_t n = line ? tau_text_count(line, &rest) : -1;

	if (n < 0 || strncmp(rest, word, sizeof(word) - 1) != 0)
		return BAD(&r->text, "expected '<n> templated_functions_MULTI_<METRIC>'%s",
			   line ? "" : ", found an empty file");
	rest += sizeof(word) - 1;
	if (!strncmp(rest, "_MULTI_", 7))
		*metric = tau_text_trim(rest + 7);
	else if (!*rest)
		*metric = rest;
	else
		return BAD(&r->text, "expected '<n> templated_functions_MULTI_<METRIC>'");
	*timers = (size_t)n;
	return 0;
}

/* Rows of other metrics' files are found by path: marks them for this file. */
static void mark_rows(struct reader *r)
{
	const struct profile_thread *t = &r->p->thread[r->thread];

	r->serial += 2;
	r->before = t->row_n;
	r->told = 0;
	for (size_t i = 0; i < t->row_n; i++)
		*mark_of(r, t->row[i].path) = (struct mark){ r->serial - 1, (uint32_t)i };
}

/* One profile.N.C.T for r->thread and r->metric, whose name must be metric unless the file does not say. */
static int read_file(struct reader *r, const char *metric)
{
	struct tau_metadata m = { 0 };
	char *named;
	size_t n;
	int code = read_header(r, &n, &named);

	if (code == 0 && *named && strcmp(named, metric) != 0)
		code = BAD(&r->text, "metric '%.200s' where the first file has '%.200s'", named,
			   metric);
	if (code == 0)
		code = read_metadata(r, &m);
	if (code == 0 && r->fresh)
		keep_metadata(r, &m);
	tau_metadata_release(&m);
	mark_rows(r);
	for (size_t i = 0; code == 0 && i < n; i++) {
		char *line = tau_text_line(&r->text, NULL);

		code = line ? read_timer(r, line)
			    : BAD(&r->text, "the file ends after %zu of %zu timers", i, n);
	}
	r->missing[r->metric] += r->before - r->told;
	return code < 0 ? code : read_tail(r);
}

static char *file_name(const char *dir, const struct tau_dir_file *f)
{
	return mem_printf("%s/profile.%d.%d.%d", dir, f->node, f->context, f->thread);
}

/* The metric that the first file of a folder names, owned by the caller: needed before any row is made. */
static int peek_metric(struct reader *r, const char *dir, const struct tau_dir *d, char **metric)
{
	struct tau_metadata m = { 0 };
	char *file = file_name(dir, &d->file[0]), *named;
	size_t n;
	int code = tau_text_open(&r->text, file);

	if (code == 0)
		code = read_header(r, &n, &named);
	if (code == 0 && *named) {
		*metric = mem_string(named);
	} else if (code == 0 && (code = read_metadata(r, &m)) == 0) {
		const struct profile_attribute key = { .name = (char *)"Metric Name",
						       .value = (char *)"" };
		const struct profile_attribute *a = find_attribute(&m, &key, SIZE_MAX);

		*metric = mem_string(a && *a->value ? a->value : "TIME");
	}
	tau_metadata_release(&m);
	free(file);
	return code;
}

/* All files of one folder, as values of r->metric. */
static int read_folder(struct reader *r, const char *dir, const struct tau_dir *d)
{
	size_t before = r->p->thread_n;
	unsigned char *here = mem_alloc(before + 1);
	int code = 0;

	for (size_t i = 0; code == 0 && i < d->file_n; i++) {
		const struct tau_dir_file *f = &d->file[i];
		char *file = file_name(dir, f);

		r->thread = profile_add_thread(r->p, f->node, f->context, f->thread);
		r->fresh = r->thread >= before;
		if (!r->fresh)
			here[r->thread] = 1;
		code = tau_text_open(&r->text, file);
		if (code == 0)
			code = read_file(r, r->p->metric[r->metric].name);
		free(file);
	}
	for (size_t i = 0; i < before; i++)
		r->missing[r->metric] += here[i] ? 0 : r->p->thread[i].row_n;
	free(here);
	return code;
}

/* Metrics that do not have all rows, as metadata of the profile. empty: begins the list, or NULL. */
static void tell_missing(struct reader *r, const char *empty)
{
	char *all = mem_string(empty ? empty : "");

	for (size_t k = 0; k < r->p->metric_n; k++) {
		char *longer;

		if (!r->missing[k])
			continue;
		longer = mem_printf("%s%s (%llu), ", all, r->p->metric[k].name,
				    (unsigned long long)r->missing[k]);
		free(all);
		all = longer;
	}
	if (*all) {
		all[strlen(all) - 2] = 0;
		profile_set_meta(r->p, UINT32_MAX, TAU_PROFILE_MISSING, all);
	}
	free(all);
}

static int read_folders(struct reader *r, const struct tau_folders *f)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < f->v_n; i++) {
		char *metric = NULL;

		code = peek_metric(r, f->v[i].path, &f->v[i].dir, &metric);
		if (code < 0)
			return code;
		if (profile_add_metric(r->p, metric) != i)
			code = error_set(r->text.e, ERROR_INPUT,
					 "%s: metric %s for the second time", f->v[i].path, metric);
		free(metric);
	}
	r->missing = mem_alloc((f->v_n + 1) * sizeof(*r->missing));
	for (size_t i = 0; code == 0 && i < f->v_n; i++) {
		r->metric = (uint32_t)i;
		code = read_folder(r, f->v[i].path, &f->v[i].dir);
	}
	return code;
}

/* The window stands in the metadata of profiles that we wrote. */
static void take_window(struct profile *p, const struct profile_attribute *a)
{
	if (!strcmp(a->name, "TAU Window")) {
		free(p->window);
		p->window = mem_string(a->value);
	} else if (!strcmp(a->name, "TAU Window Begin (us)")) {
		p->begin_us = strtod(a->value, NULL);
	} else if (!strcmp(a->name, "TAU Window End (us)")) {
		p->end_us = strtod(a->value, NULL);
	} else {
		profile_set_meta(p, UINT32_MAX, a->name, a->value);
	}
}

static char *last_part(const char *dir)
{
	char *real = realpath(dir, NULL), *name;

	name = mem_string(
		real && strrchr(real, '/') && strrchr(real, '/')[1] ? strrchr(real, '/') + 1 : dir);
	free(real);
	return name;
}

int tau_profile_read(const char *dir, struct profile **out, struct error *e)
{
	struct reader r = { .p = profile_new(), .text.e = e };
	struct tau_folders folders = { 0 };
	int code = tau_folders_find(dir, &folders, e);

	r.p->source = 1;
	r.p->name = last_part(dir);
	if (code == 0)
		code = read_folders(&r, &folders);
	for (size_t i = 0; i < r.common.v_n; i++)
		if (r.common.v[i].name)
			take_window(r.p, &r.common.v[i]);
	if (code == 0)
		tell_missing(&r, folders.empty);
	free(r.missing);
	tau_folders_release(&folders);
	tau_metadata_release(&r.common);
	names_release(&r.events);
	names_release(&r.sample_names);
	free(r.sample_mark);
	free(r.mark);
	free(r.text.text);
	if (code < 0) {
		profile_free(r.p);
		return code;
	}
	profile_sort(r.p);
	*out = r.p;
	return 0;
}

int tau_profile_is(const char *path)
{
	struct error e;
	struct tau_folders f = { 0 };
	int code = tau_folders_find(path, &f, &e);

	tau_folders_release(&f);
	return code == 0;
}
