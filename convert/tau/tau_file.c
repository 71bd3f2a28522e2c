/* tau_file.c: one file of a TAU profile -> rows, samples and metadata of its thread. */
#include "convert/tau/tau_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/context.h"
#include "record/metadata.h"

static struct tau_mark *mark_of(struct tau_reader *r, uint32_t path)
{
	while (r->mark_n < r->p->path_n)
		array_add(r, mark)->serial = 0;
	return &r->mark[path];
}

/* The row of this thread for path, made where metrics before have none. */
static struct profile_row *row_for(struct tau_reader *r, uint32_t path)
{
	struct tau_mark *m = mark_of(r, path);

	if (m->serial == r->serial - 1) {
		m->serial = r->serial;
		r->again++;
	} else if (m->serial != r->serial) {
		profile_add_row(r->p, r->thread, path);
		*m = (struct tau_mark){ r->serial, (uint32_t)r->p->thread[r->thread].row_n - 1 };
		for (uint32_t k = 0; k < r->metric; k++)
			r->missing[k]++;
	}
	return &r->p->thread[r->thread].row[m->row];
}

#define SHOWN 200 /* bytes of a path in a message */

/* The path of a timer; changes name and groups. PROFILE_FLAT: an element of it is empty. */
static uint32_t path_of(struct tau_reader *r, char *name, char *groups)
{
	int no_groups = !*groups, callpath = tau_text_callpath(groups);

	if (callpath || (no_groups && strstr(name, " => ")))
		return context_add_path(r->p, name, groups);
	return profile_add_path(r->p, context_add_timer(r->p, name, groups), PROFILE_FLAT);
}

static int is_seen(const struct tau_seen *s, const char *name, const char *groups)
{
	size_t n = strlen(name);

	return s->text && !strncmp(s->text, name, n + 1) && !strcmp(s->text + n + 1, groups);
}

/* path_of() for line number `at`. Parses only lines that changed since the file before. */
static int find_path(struct tau_reader *r, size_t at, char *name, char *groups, uint32_t *path)
{
	size_t n = strlen(name) + 1, groups_n = strlen(groups) + 1;
	struct tau_seen *s;
	char *text;

	while (r->seen_n <= at)
		*array_add(r, seen) = (struct tau_seen){0};
	s = &r->seen[at];
	if (is_seen(s, name, groups)) {
		*path = s->path;
		return 0;
	}
	text = mem_alloc(n + groups_n);
	memcpy(text, name, n);
	memcpy(text + n, groups, groups_n);
	*path = path_of(r, name, groups);
	if (*path == PROFILE_FLAT) {
		int code = BAD(&r->text, "call path '%.*s' has an empty element", SHOWN, text);

		free(text);
		return code;
	}
	free(s->text);
	*s = (struct tau_seen){text, *path};
	return 0;
}

static int read_timer(struct tau_reader *r, char *line, size_t at)
{
	struct profile_thread *t;
	struct profile_row *row;
	char *groups = tau_text_groups(line), *rest, *name;
	double v[6], *squares;
	uint32_t path;

	if (!groups)
		return BAD(&r->text, "GROUP=\" has no closing quote");
	name = tau_text_name(line, &rest);
	if (!name)
		return BAD(&r->text, "expected a timer's name in quotes");
	if (!tau_text_values(&rest, v, r->squares ? 6 : 5))
		return BAD(&r->text, "timer '%.200s' needs %s numbers after its name", name,
			   r->squares ? "six" : "five");
	if (find_path(r, at, name, groups, &path) < 0)
		return ERROR_INPUT;
	row = row_for(r, path);
	t = &r->p->thread[r->thread];
	if ((size_t)(row - t->row) >= r->before) {
		row->calls += v[0];
		row->subrs += v[1];
	}
	profile_excl(r->p, t, row)[r->metric] += v[2];
	profile_incl(t, row)[r->metric] += v[3];
	squares = profile_squares(t, row);
	if (squares && r->squares)
		squares[r->metric] = v[4] + (isnan(squares[r->metric]) ? 0 : squares[r->metric]);
	return 0;
}

/* The mark of (counter, path); its serial shows whether this thread has that sample already. */
static struct tau_mark *sample_mark_of(struct tau_reader *r, uint32_t counter, uint32_t path)
{
	uint32_t key[2] = { counter, path },
		 id = names_add(&r->sample_names, (const char *)key, sizeof(key));

	while (r->sample_mark_n <= id)
		array_add(r, sample_mark)->serial = 0;
	return &r->sample_mark[id];
}

static struct profile_sample *new_sample(struct tau_reader *r, struct tau_mark *m, uint32_t counter,
					 uint32_t path)
{
	*m = (struct tau_mark){ r->serial, (uint32_t)r->p->thread[r->thread].sample_n };
	return profile_add_sample(r->p, r->thread, counter, path);
}

static uint32_t add_counter(struct tau_reader *r, const char *name)
{
	return profile_read_counter(r->p, name);
}

/* A row for the event; the same text a second time is a counter of its own, and a third time adds up. */
static struct profile_sample *sample_for(struct tau_reader *r, const char *name)
{
	size_t base = context_base(r->p, &r->events, name);
	struct tau_mark *m;
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
static int read_events(struct tau_reader *r, size_t n)
{
	struct tau_file_event {
		char *name;
		double v[5];
	} *event = NULL;
	int whole = 1, code = 0;
	size_t n_read = 0;
	struct {
		struct tau_file_event *v;
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
				   whole ? "needs five numbers after its name"
					 : "is cut short: the line has no end");
		else
			names_add(&r->events, event->name, strlen(event->name));
	}
	for (size_t i = 0; code == 0 && i < list.v_n && r->fresh; i++)
		sample_merge(sample_for(r, list.v[i].name), list.v[i].v);
	free(list.v);
	return code;
}

/* The file may have more text than its profile, from a program that wrote into it. */
static int rest_begins(struct tau_reader *r, const char *line, const char *after)
{
	if (line || r->text.nul) {
		r->rest = r->text.line + !line;
		r->rest_after = after;
	}
	return 0;
}

/* "N aggregates", which ends the timers. */
static int is_aggregates(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	return digits && !strncmp(line + digits, " aggregates", 11);
}

/*
 * Notes a line that is no timer, or a damaged one. The first error is kept for the case that there
 * are too many, or that the file ends.
 */
static int odd_line(struct tau_reader *r, struct error *first, size_t n)
{
	if (!r->odd++) {
		r->odd_line = r->text.line;
		*first = *r->text.e;
	}
	if ((r->odd > 1 || n == 1) && r->odd * 3 > n)
		return ERROR_INPUT;
	*r->text.e = (struct error){0};
	return 0;
}

/*
 * Reads n timers. Among them may be lines that a program has written into the file, or damaged
 * timers, which count if they begin as timers do. *after: the line that follows, if it had to be
 * read; NULL: it was not. *first: what is wrong with the first of them.
 */
static int read_timers(struct tau_reader *r, size_t n, char **after, struct error *first)
{
	int code = 0;

	r->odd = 0;
	*after = NULL;
	for (size_t i = 0, taken = 0; code == 0 && taken < n; i++) {
		char *line = tau_text_line(&r->text, NULL);
		int is_timer = line && *line == '"';

		if (line && is_aggregates(line) && taken + r->odd >= n) {
			*after = line;
			break;
		}
		code = line ? read_timer(r, line, i)
			    : BAD(&r->text, "the file ends after %zu of %zu timers", taken, n);
		taken += !code || is_timer;
		if (code && line)
			code = odd_line(r, first, n);
	}
	return code;
}

/* Reads what follows the timers: aggregates, then, if there are any, user events. line: the first
 * of it; NULL: not read so far. */
static int read_tail(struct tau_reader *r, char *line)
{
	char number[24], *rest;
	int64_t n;

	line = line ? line : tau_text_line(&r->text, NULL);
	n = line ? tau_text_count(line, &rest) : -1;

	if (n < 0 || strcmp(rest, "aggregates") != 0)
		return BAD(&r->text, "expected '<n> aggregates' after the timers%s",
			   line ? "" : ", found the end of the file");
	for (int64_t i = 0; i < n; i++)
		if (!tau_text_line(&r->text, NULL))
			return BAD(&r->text, "the file ends after %jd of %jd aggregates",
				   (intmax_t)i, (intmax_t)n);
	if (n > 0 && r->fresh) {
		snprintf(number, sizeof(number), "%jd", (intmax_t)n);
		profile_set_meta(r->p, r->thread, TAU_META_AGGREGATES_SKIPPED, number);
	}
	line = tau_text_line(&r->text, NULL);
	/* A number that counts something else may be a damaged number of events. */
	if (!line || *line < '0' || *line > '9')
		return rest_begins(r, line, "timer");
	n = tau_text_count(line, &rest);
	if (n < 0 || strcmp(rest, "userevents") != 0)
		return BAD(&r->text, "expected '<n> userevents'");
	if (read_events(r, (size_t)n) < 0)
		return ERROR_INPUT;
	return rest_begins(r, tau_text_line(&r->text, NULL), n ? "user event" : "timer");
}

/* Are sums of squares in the columns that the second line names? Only a profile whose first file has them keeps them. */
static int has_squares(struct tau_reader *r, const char *end)
{
	static const char column[] = " SumExclSqr ";
	size_t n = *r->text.at == '#' && end ? (size_t)(end - r->text.at) : 0;
	int has = n && memmem(r->text.at, n, column, sizeof(column) - 1) != NULL;

	r->p->squares |= has && !r->read_n;
	return has;
}

/*
 * The second line: "# Name Calls ... # <metadata>...". Old files lack it, or its end. The metadata may hold line ends.
 */
static int read_metadata(struct tau_reader *r, struct tau_metadata *out)
{
	char *begin = strstr(r->text.at, "<metadata>"), *line_end = strchr(r->text.at, '\n');
	const char *cursor, *what;

	r->squares = has_squares(r, begin ? begin : line_end);
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

/* If a name occurs several times, the last one is used. hint: its likely index. */
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
 * Takes this thread's metadata: what all threads share so far stays in r->common, the rest goes to the threads. An attribute
 * that is not common any more also goes to the threads before. Empties m.
 */
static void keep_metadata(struct tau_reader *r, struct tau_metadata *m)
{
	struct meta_share *s = &r->common;
	int32_t node = r->p->thread[r->thread].node;
	char *own;

	drop_metric_name(m);
	if (!r->read_n) {
		meta_share_begin(s, m->v, m->v_n, node);
		tau_metadata_release(m);
		return;
	}
	own = mem_alloc(s->v_n + 1);
	for (size_t i = 0; i < s->v_n; i++)
		own[i] = (char)s->v[i].own;
	meta_share_look(s, m->v, m->v_n, node);
	for (size_t i = 0; i < s->v_n; i++)
		for (uint32_t t = 0; !own[i] && s->v[i].own && t < r->thread; t++)
			profile_set_meta(r->p, t, s->name.name[i], s->v[i].value);
	free(own);
	for (size_t i = 0; i < m->v_n; i++)
		if (!meta_share_everywhere(s, m->v[i].name))
			profile_set_meta(r->p, r->thread, m->v[i].name, m->v[i].value);
	tau_metadata_release(m);
}

/* Reads the first line. *metric points into the text: "" for old files that do not name it. */
static int read_header(struct tau_reader *r, size_t *timers, char **metric)
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
	else if (*rest == '_' && rest[1])
		*metric = tau_text_trim(rest + 1); /* old files: hw_counters */
	else if (!*rest)
		*metric = rest;
	else
		return BAD(&r->text, "expected '<n> templated_functions_MULTI_<METRIC>'");
	*timers = (size_t)n;
	return 0;
}

/* Rows of other metrics' files are found by path: marks them for this file. */
static void mark_rows(struct tau_reader *r)
{
	const struct profile_thread *t = &r->p->thread[r->thread];

	r->serial += 2;
	r->before = t->row_n;
	r->again = 0;
	for (size_t i = 0; i < t->row_n; i++)
		*mark_of(r, t->row[i].path) = (struct tau_mark){ r->serial - 1, (uint32_t)i };
}

int tau_file_parse(struct tau_reader *r, const char *metric)
{
	struct tau_metadata m = { 0 };
	struct error first = {0};
	char *named, *after = NULL;
	size_t n;
	int code = read_header(r, &n, &named);

	r->rest = 0;
	if (code == 0 && *named && strcmp(named, metric) != 0) {
		r->mixed = 1;
		code = BAD(&r->text, "metric '%.200s' where the first file has '%.200s'", named,
			   metric);
	}
	if (code == 0)
		code = read_metadata(r, &m);
	mark_rows(r);
	code = code < 0 ? code : read_timers(r, n, &after, &first);
	code = code < 0 ? code : read_tail(r, after);
	if (code < 0 && first.code)
		*r->text.e = first;
	if (code == 0) {
		r->missing[r->metric] += r->before - r->again;
		if (r->fresh)
			keep_metadata(r, &m);
		r->read_n++;
	}
	tau_metadata_release(&m);
	return code && r->text.nul && !r->mixed ? tau_text_nul(&r->text) : code;
}

void tau_file_undo(struct tau_reader *r)
{
	struct profile_thread *t = &r->p->thread[r->thread];
	size_t width = 2 * r->p->metric_n;

	for (uint32_t k = 0; k < r->metric; k++)
		r->missing[k] -= t->row_n - r->before;
	t->row_n = r->before;
	t->values_n = r->before * width;
	t->squares_n = r->p->squares ? r->before * r->p->metric_n : 0;
	for (size_t i = 0; i < r->before; i++) {
		profile_excl(r->p, t, &t->row[i])[r->metric] = 0;
		profile_incl(t, &t->row[i])[r->metric] = 0;
		if (r->p->squares)
			profile_squares(t, &t->row[i])[r->metric] = NAN;
	}
	r->missing[r->metric] += r->before;
	if (!r->fresh)
		return;
	t->sample_n = 0;
	for (size_t i = 0; i < t->meta_n; i++) {
		free(t->meta[i].name);
		free(t->meta[i].value);
	}
	t->meta_n = 0;
}

int tau_file_metric(struct tau_reader *r, char **metric)
{
	struct tau_metadata m = { 0 };
	char *named;
	size_t n;
	int code = read_header(r, &n, &named);

	if (code == 0 && *named) {
		*metric = mem_string(named);
	} else if (code == 0 && (code = read_metadata(r, &m)) == 0) {
		const struct profile_attribute key = { .name = (char *)"Metric Name",
						       .value = (char *)"" };
		const struct profile_attribute *a = find_attribute(&m, &key, SIZE_MAX);

		*metric = mem_string(a && *a->value ? a->value : "TIME");
	}
	tau_metadata_release(&m);
	return code;
}
