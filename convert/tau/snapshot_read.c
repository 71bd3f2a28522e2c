/* snapshot_read.c: TAU's snapshots and merged profiles -> struct profile (format: snapshot.h). */
#include "analyze/profile/profile.h"
#include "convert/io/input.h"
#include "convert/tau/snapshot.h"

#include <errno.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "convert/io/blob.h"
#include "convert/tau/tau_numbered.h"
#include "convert/profile_format.h"
#include "convert/tau/tau_metadata.h"
#include "convert/tau/tau_profile.h"
#include "convert/tau/tau_text.h"
#include "convert/io/xml.h"
#include "record/metadata.h"

/* The numbers of a definition are its owner's own: "OWNER\n" "m0", "e7", "u3" -> number in the flat
 * profile. */
struct snapshot_reader {
	struct tau_numbered f;
	size_t bytes;       /* of the files read */
	uint64_t value_n;   /* that rows have room for */
	struct names owner; /* threads of definitions */
	struct names id;
	uint32_t *target; /* per id */
	size_t target_n, target_cap;
	struct names seen;   /* "OWNER\nNAME" of user events */
	struct names thread; /* ID -> number of the thread */
	struct names threads; /* numbers of threads whose data are there, maybe none */
	struct names row,
		sample; /* (thread, function or event) -> number of the row in its thread */
	uint32_t *at_row, *at_sample;
	size_t at_row_n, at_row_cap, at_sample_n, at_sample_cap;
	char *definitions, *profile;           /* thread of what is open, or NULL */
	char *define_id, *name, *group;        /* of what is being defined */
	uint32_t metric[SNAPSHOT_METRICS_MAX]; /* of the open interval data */
	size_t metric_n;
	char *metadata; /* text of the open <metadata>, NULL: none is */
	size_t metadata_n;
	FILE *metadata_file;
	int leaf; /* of the metadata: nothing was closed since the last tag was opened */
	uint32_t in_thread;
};

static void replace(char **at, const char *with)
{
	char *old = *at;

	*at = with ? mem_string(with) : NULL;
	free(old);
}

/* ---- definitions ---- */

/* Every row of every thread gets room for one more metric. */
static void widen(struct tau_numbered *f, size_t before)
{
	for (size_t i = 0; i < f->thread_n; i++) {
		struct numbered_thread *t = &f->thread[i];
		size_t width = 2 * before + 2;
		double *value = mem_resize(NULL, t->row_n * width + 1, sizeof(*value));

		for (size_t k = 0; k < t->row_n; k++) {
			for (size_t m = 0; m < 2 * before; m++)
				value[k * width + m] = t->value[t->row[k].first + m];
			value[k * width + width - 2] = value[k * width + width - 1] = 0;
			t->row[k].first = k * width;
		}
		free(t->value);
		t->value = value;
		t->value_n = t->row_n * width;
		t->value_cap = t->value_n + 1;
	}
}

static uint32_t define_metric(struct snapshot_reader *r, const char *name)
{
	size_t before = r->f.metric.name_n;
	uint32_t id = names_add(&r->f.metric, name, strlen(name));

	if (r->f.metric.name_n > before) {
		r->value_n += 2 * r->row.name_n;
		widen(&r->f, before);
	}
	return id;
}

static uint32_t define_event(struct snapshot_reader *r, const char *name)
{
	char *key = mem_printf("%u\n%s",
			       names_add(&r->owner, r->definitions, strlen(r->definitions)), name);
	size_t before = r->seen.name_n;

	names_add(&r->seen, key, strlen(key));
	free(key);
	return numbered_event(&r->f, name, r->seen.name_n == before);
}

static char *id_key(uint32_t owner, char kind, const char *id)
{
	while (*id == ' ')
		id++;
	return mem_printf("%u\n%c%.*s", owner, kind, (int)strcspn(id, " \t\r\n"), id);
}

/* <metric>, <event> and <userevent> are closed. */
static char *define(struct snapshot_reader *r, char kind)
{
	char *name = r->name ? tau_text_trim(r->name) : NULL, *key, *wrong = NULL;
	size_t before = r->id.name_n;
	uint32_t target;

	if (!r->definitions || !r->define_id || !name || !*name)
		return mem_string("a definition lacks its thread, its id or its name");
	if (kind == 'm' && r->f.metric.name_n >= SNAPSHOT_METRICS_MAX)
		return mem_printf("more than %d metrics", SNAPSHOT_METRICS_MAX);
	target = kind == 'm'   ? define_metric(r, name)
		 : kind == 'e' ? numbered_function(&r->f, name, r->group ? r->group : "")
			       : define_event(r, name);
	key = id_key(names_add(&r->owner, r->definitions, strlen(r->definitions)), kind,
		     r->define_id);
	names_add(&r->id, key, strlen(key));
	if (r->id.name_n > before)
		*array_add(r, target) = target;
	else
		wrong = mem_printf("id %.40s is defined twice", r->define_id);
	free(key);
	replace(&r->name, NULL);
	replace(&r->group, NULL);
	replace(&r->define_id, NULL);
	return wrong;
}

/* What id means for the open profile's thread; -1: nothing. */
static int64_t look_up(struct snapshot_reader *r, char kind, const char *id)
{
	const char *owner[] = {r->profile, "*"};
	int64_t found = -1;

	for (size_t i = 0; i < 2 && found < 0; i++) {
		int64_t of = names_find(&r->owner, owner[i], strlen(owner[i]));
		char *key;

		if (of < 0)
			continue;
		key = id_key((uint32_t)of, kind, id);
		found = names_find(&r->id, key, strlen(key));
		free(key);
	}
	return found < 0 ? -1 : (int64_t)r->target[found];
}

/* ---- threads ---- */

static int number_of(const char *text, int32_t *out)
{
	char *end;
	long v = text ? strtol(text, &end, 10) : -1;

	*out = (int32_t)v;
	return text && end != text && !*end && v >= 0 && v <= INT32_MAX;
}

/* A thread that is defined again keeps its numbers. */
static char *open_thread(struct snapshot_reader *r, const struct xml_attribute *a, size_t n)
{
	const char *id = xml_get(a, n, "id");
	struct numbered_thread t = {0};
	size_t before = r->thread.name_n;

	if (!id || !number_of(xml_get(a, n, "node"), &t.node) ||
	    !number_of(xml_get(a, n, "context"), &t.context) ||
	    !number_of(xml_get(a, n, "thread"), &t.thread))
		return mem_string("a <thread> lacks its id or its numbers");
	r->in_thread = names_add(&r->thread, id, strlen(id));
	if (r->thread.name_n > before)
		*array_add(&r->f, thread) = t;
	return NULL;
}

static char *close_metadata(struct snapshot_reader *r)
{
	struct tau_metadata m = {0};
	struct numbered_thread *t;
	const char *cursor, *what = NULL;

	fclose(r->metadata_file);
	r->metadata_file = NULL;
	cursor = r->metadata;
	if (r->in_thread < r->f.thread_n &&
	    !tau_metadata_read(&cursor, r->metadata + r->metadata_n, &m, &what)) {
		t = &r->f.thread[r->in_thread];
		for (size_t i = 0; i < m.v_n; i++)
			if (strcmp(m.v[i].name, "Metric Name"))
				numbered_meta(t, m.v[i].name, m.v[i].value);
	}
	tau_metadata_release(&m);
	free(r->metadata);
	r->metadata = NULL;
	return what ? mem_printf("metadata: %s", what) : NULL;
}

/* ---- values ---- */

static char *open_profile(struct snapshot_reader *r, const struct xml_attribute *a, size_t n)
{
	const char *thread = xml_get(a, n, "thread");

	if (!thread || names_find(&r->thread, thread, strlen(thread)) < 0)
		return mem_printf("a <profile> of thread '%.40s', which is not defined",
				  thread ? thread : "");
	r->in_thread = (uint32_t)names_find(&r->thread, thread, strlen(thread));
	replace(&r->profile, thread);
	return NULL;
}

static char *open_values(struct snapshot_reader *r, const char *list)
{
	r->metric_n = 0;
	if (!r->profile)
		return mem_string("data outside of a <profile>");
	while (list && *(list += strspn(list, " \t\r\n"))) {
		int64_t m = look_up(r, 'm', list);

		if (m < 0 || r->metric_n == SNAPSHOT_METRICS_MAX)
			return mem_printf("metric id '%.40s' is not defined", list);
		for (size_t i = 0; i < r->metric_n; i++)
			if (r->metric[i] == m)
				return mem_string("data name a metric twice");
		r->metric[r->metric_n++] = (uint32_t)m;
		list += strcspn(list, " \t\r\n");
	}
	return NULL;
}

static struct numbered_row *row_for(struct snapshot_reader *r, uint32_t function)
{
	struct numbered_thread *t = &r->f.thread[r->in_thread];
	uint32_t key[2] = {r->in_thread, function};
	uint32_t id = names_add(&r->row, (const char *)key, sizeof(key));

	if (id == r->at_row_n) {
		struct numbered_row *row = array_add(t, row);

		row->function = function;
		row->first = t->value_n;
		r->value_n += 2 * r->f.metric.name_n;
		for (size_t m = 0; m < 2 * r->f.metric.name_n; m++)
			array_add(t, value);
		*array_add(r, at_row) = (uint32_t)t->row_n - 1;
	}
	return &t->row[r->at_row[id]];
}

static int put_interval(struct snapshot_reader *r, uint32_t function, char *numbers)
{
	double v[2 + 2 * SNAPSHOT_METRICS_MAX];
	struct numbered_thread *t = &r->f.thread[r->in_thread];
	struct numbered_row *row;

	if (!tau_text_values(&numbers, v, 2 + 2 * r->metric_n) || *tau_text_trim(numbers))
		return 0;
	row = row_for(r, function);
	row->calls = v[0];
	row->subrs = v[1];
	for (size_t m = 0; m < r->metric_n; m++) {
		t->value[row->first + 2 * r->metric[m]] = v[2 + 2 * m];
		t->value[row->first + 2 * r->metric[m] + 1] = v[3 + 2 * m];
	}
	return 1;
}

static int put_atomic(struct snapshot_reader *r, uint32_t event, char *numbers)
{
	struct numbered_thread *t = &r->f.thread[r->in_thread];
	uint32_t key[2] = {r->in_thread, event}, id;
	double v[5];

	if (!tau_text_values(&numbers, v, 5) || *tau_text_trim(numbers))
		return 0;
	id = names_add(&r->sample, (const char *)key, sizeof(key));
	if (id == r->at_sample_n) {
		array_add(t, sample);
		*array_add(r, at_sample) = (uint32_t)t->sample_n - 1;
	}
	t->sample[r->at_sample[id]] = (struct numbered_sample){event, v[0], v[1], v[2], v[3], v[4]};
	return 1;
}

/* The lines of interval_data ('e') or atomic_data ('u'). */
static char *read_values(struct snapshot_reader *r, char kind, char *text)
{
	char *save, *line;

	if (!r->profile)
		return mem_string("data outside of a <profile>");
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int64_t target;
		char *rest;

		line = tau_text_trim(line);
		if (!*line)
			continue;
		rest = line + strcspn(line, " \t");
		target = look_up(r, kind, line);
		if (target < 0)
			return mem_printf("data of id %.*s, which is not defined",
					  rest - line > 40 ? 40 : (int)(rest - line), line);
		if (!(kind == 'e' ? put_interval : put_atomic)(r, (uint32_t)target, rest))
			return mem_printf("data line '%.80s' does not have the required numbers",
					  line);
		if (!blob_allows(r->bytes, r->value_n * sizeof(double)))
			return mem_printf("most rows have few of the %zu metrics, and all would "
					  "need many times the memory of the "
					  "file",
					  r->f.metric.name_n);
	}
	return NULL;
}

/* ---- elements ---- */

static char *on_open(void *arg, const char *name, const struct xml_attribute *a, size_t n)
{
	struct snapshot_reader *r = arg;

	if (r->metadata_file) {
		fprintf(r->metadata_file, "<%s>", name);
		r->leaf = 1;
		return NULL;
	}
	if (!strcmp(name, "thread"))
		return open_thread(r, a, n);
	if (!strcmp(name, "metadata")) {
		r->metadata_file = mem_stream(&r->metadata, &r->metadata_n);
		fputs("<metadata>", r->metadata_file);
	} else if (!strcmp(name, "definitions")) {
		replace(&r->definitions, xml_get(a, n, "thread"));
	} else if (!strcmp(name, "metric") || !strcmp(name, "event") ||
		   !strcmp(name, "userevent")) {
		replace(&r->define_id, xml_get(a, n, "id"));
		replace(&r->name, NULL);
		replace(&r->group, NULL);
	} else if (!strcmp(name, "profile")) {
		return open_profile(r, a, n);
	} else if (!strcmp(name, "interval_data")) {
		return open_values(r, xml_get(a, n, "metrics"));
	}
	return NULL;
}

static char *on_close(void *arg, const char *name, char *text, size_t length)
{
	struct snapshot_reader *r = arg;

	(void)length;
	if (r->metadata_file) {
		if (r->leaf)
			xml_put(r->metadata_file, text);
		r->leaf = 0;
		fprintf(r->metadata_file, "</%s>", name);
		return strcmp(name, "metadata") ? NULL : close_metadata(r);
	}
	if (!strcmp(name, "name"))
		replace(&r->name, text);
	else if (!strcmp(name, "group"))
		replace(&r->group, text);
	else if (!strcmp(name, "metric") || !strcmp(name, "event") || !strcmp(name, "userevent"))
		return define(r, *name);
	else if (!strcmp(name, "definitions"))
		replace(&r->definitions, NULL);
	else if (!strcmp(name, "profile")) {
		if (r->profile)
			names_add(&r->threads, (char *)&r->in_thread, sizeof(r->in_thread));
		replace(&r->profile, NULL);
	} else if (!strcmp(name, "interval_data"))
		return read_values(r, 'e', text);
	else if (!strcmp(name, "atomic_data"))
		return read_values(r, 'u', text);
	return NULL;
}

static void reader_release(struct snapshot_reader *r)
{
	char **const text[] = {&r->definitions, &r->profile, &r->define_id, &r->name, &r->group};

	if (r->metadata_file)
		fclose(r->metadata_file);
	free(r->metadata);
	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		free(*text[i]);
	numbered_release(&r->f);
	names_release(&r->owner);
	names_release(&r->id);
	names_release(&r->seen);
	names_release(&r->thread);
	names_release(&r->threads);
	names_release(&r->row);
	names_release(&r->sample);
	free(r->target);
	free(r->at_row);
	free(r->at_sample);
}

int snapshot_is(const unsigned char *p, size_t n)
{
	const unsigned char *at = xml_start(p, n);

	return p + n - at >= 12 && !memcmp(at, "<profile_xml", 12);
}

/* A file whose threads are more than `before`. */
static int read_one(struct snapshot_reader *r, const char *path, const unsigned char *p, size_t n,
		    struct error *e)
{
	struct xml_handler h = {r, on_open, on_close};
	uint32_t before = r->f.thread_n;
	int code;

	r->bytes += n;
	code = xml_read(path, p, n, &h, e);

	for (uint32_t i = before; i < r->f.thread_n && !code; i++)
		if (names_find(&r->threads, (char *)&i, sizeof(i)) < 0)
			code = error_set(e, ERROR_INPUT,
					 "%s: the file ends before the data of thread %s", path,
					 r->thread.name[i]);
	if (!code && !r->f.thread_n)
		code = error_set(e, ERROR_INPUT, "%s: the file ends before the first thread", path);
	return code;
}

static int finish(struct snapshot_reader *r, const char *path, int code, struct profile **out,
		  struct error *e)
{
	if (!code) {
		numbered_share_meta(&r->f);
		code = numbered_profile(&r->f, path, 10, out, e);
	}
	reader_release(r);
	return code;
}

int snapshot_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
		  struct error *e)
{
	struct snapshot_reader r = {0};
	int code = read_one(&r, path, p, n, e);

	return finish(&r, path, code, out, e);
}

/* ---- one file a thread ---- */

struct places { /* snapshot.N.C.T */
	struct snapshot_place {
		int n[3];
	} * v;
	size_t v_n, v_cap;
};

static int place_order(const void *va, const void *vb)
{
	const struct snapshot_place *a = va, *b = vb;

	for (int i = 0; i < 3; i++)
		if (a->n[i] != b->n[i])
			return a->n[i] < b->n[i] ? -1 : 1;
	return 0;
}

static struct places list(struct input *in)
{
	const struct listing *l = input_names(in);
	struct places all = {0};

	for (size_t i = 0; l && i < l->entry_n; i++) {
		const char *name = l->entry[i].name;
		struct snapshot_place x;
		char more;

		if (sscanf(name, "snapshot.%d.%d.%d%c", &x.n[0], &x.n[1], &x.n[2], &more) == 3)
			*array_add(&all, v) = x;
	}
	if (all.v_n)
		qsort(all.v, all.v_n, sizeof(*all.v), place_order);
	return all;
}

int snapshot_folder_is(struct input *in)
{
	struct places all = list(in);

	free(all.v);
	return all.v_n > 0;
}

/* A file by itself: what a damaged one has defined must not mix with the others'. */
static int is_whole(const char *file, const struct blob *b, struct error *e)
{
	struct snapshot_reader alone = {0};
	int code = read_one(&alone, file, b->p, b->n, e);

	reader_release(&alone);
	return !code;
}

/* Names a damaged file without its folder's name. */
static void leave_out(char **list, const char *path, struct error *e)
{
	size_t skip = strlen(path) + 1, n = strlen(e->text);
	char *more = mem_printf("%s%s%s", *list ? *list : "", *list ? "; " : "",
				e->text + (n > skip ? skip : 0));

	free(*list);
	*list = more;
	*e = (struct error){0};
}

int snapshot_folder_read(struct input *in, struct profile **out, struct error *e)
{
	const char *path = in->path;
	struct places all = list(in);
	struct snapshot_reader r = {0};
	char *left_out = NULL;
	size_t read = 0;
	int code = 0;

	for (size_t i = 0; i < all.v_n && !code; i++) {
		const int *n = all.v[i].n;
		char *file = mem_printf("%s/snapshot.%d.%d.%d", path, n[0], n[1], n[2]);
		struct blob b;

		if (blob_read(file, &b, e)) {
			leave_out(&left_out, path, e);
		} else {
			if (is_whole(file, &b, e)) {
				code = read_one(&r, file, b.p, b.n, e);
				read++;
			} else {
				leave_out(&left_out, path, e);
			}
			blob_release(&b);
		}
		free(file);
	}
	free(all.v);
	if (!code && !read)
		code = error_set(e, ERROR_INPUT, "%s/%s", path, left_out);
	code = finish(&r, path, code, out, e);
	if (!code && left_out)
		profile_set_meta(*out, UINT32_MAX, TAU_META_FILES_LEFT_OUT, left_out);
	free(left_out);
	return code;
}
