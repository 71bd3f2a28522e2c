/*
 * store.c: struct profile -> database. The windows of a trial are joined first into one profile that only defines:
 * metrics, timers, paths, counters and threads of all of them. Each definition becomes a row whose number is kept, and
 * the values follow, window by window. So no two windows need be in memory at a time.
 */
#include <math.h>
#include <string.h>

#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "db/call_index.h"
#include "db/store.h"
#include "db/thread_sums.h"
#include "record/metadata.h"

static void joined_release(struct joined *j)
{
	free(j->metric);
	free(j->path);
	free(j->counter);
	free(j->thread);
}

/* Adds p's definitions to all and notes where they went. threads: its real threads, too. */
static struct joined join_window(struct profile *all, const struct profile *p, int threads)
{
	struct joined j = {
		mem_resize(NULL, p->metric_n, sizeof(uint32_t)),
		mem_resize(NULL, p->path_n, sizeof(uint32_t)),
		mem_resize(NULL, p->counter_n, sizeof(uint32_t)),
		mem_resize(NULL, p->thread_n, sizeof(uint32_t)),
	};

	for (size_t i = 0; i < p->metric_n; i++)
		j.metric[i] = profile_add_metric(all, p->metric[i].name);
	for (size_t i = 0; i < p->timer_n; i++)
		profile_add_timer(all, p->timer[i].name, p->timer[i].groups, p->timer[i].file,
				  p->timer[i].line);
	for (size_t i = 0; i < p->path_n; i++) {
		const struct profile_timer *t = &p->timer[p->path[i].timer];
		uint32_t timer = profile_add_timer(all, t->name, NULL, NULL, 0),
			 parent = p->path[i].parent;

		j.path[i] = profile_add_path(
			all, timer, parent == PROFILE_FLAT ? PROFILE_FLAT : j.path[parent]);
	}
	for (size_t i = 0; i < p->counter_n; i++)
		j.counter[i] = profile_copy_counter(all, p, (uint32_t)i);
	for (size_t i = 0; i < p->thread_n; i++)
		j.thread[i] = p->thread[i].node < 0 || !threads
				      ? PROFILE_FLAT
				      : profile_add_thread(all, p->thread[i].node,
							   p->thread[i].context,
							   p->thread[i].thread);
	return j;
}

/* Largest inclusive value of a thread per metric: what percentages are of. */
static void largest_inclusive(const struct profile *p, const struct profile_thread *t,
			      double *largest)
{
	for (size_t m = 0; m < p->metric_n; m++)
		largest[m] = 0;
	for (size_t i = 0; i < t->row_n; i++)
		for (size_t m = 0; m < p->metric_n; m++)
			if (t->values[t->row[i].first + m] > largest[m])
				largest[m] = t->values[t->row[i].first + m];
}

/* What percentages of one thread are of. */
struct base {
	const struct thread_sum *sums;	/* of the thread, by metric; NULL: it has none */
	const double *largest;	/* by metric, if there are no sums */
	const struct profile_thread *total; /* whose inclusive value counts instead of the row's own; may be NULL */
	double factor;		/* of the exclusive value */
	double device_factor;	/* the same in rows that are of queues of devices */
};

/* The threads that have a part in the derived ones. */
struct derived_parts {
	size_t threads, queues;
	char *device;		/* by timer: its rows are of queues of devices; NULL: none are */
	double *largest;	/* sums over them of their largest inclusive values, by metric */
};

/*
 * As TAU computes them: TOTAL and MEAN are compared with the sum of the largest inclusive values of all threads. For MEAN, the
 * inclusive value is that of TOTAL, and the exclusive one the mean times the number of threads.
 */
static struct base base_of(const struct profile *p, int number, const struct derived_parts *parts,
			   const struct profile_thread *derived, double *largest)
{
	struct base b = {NULL, parts->largest, NULL, 1, 1};

	if (number == STATS_TOTAL || number == STATS_MEAN || number == STATS_MEAN_ALL)
		b.total = &derived[-1 - STATS_TOTAL];
	if (number == STATS_MEAN)
		b.factor = (double)parts->threads;
	if (number == STATS_MEAN_ALL)
		b.factor = (double)waiting_threads(p);
	if (number == STATS_MEAN || number == STATS_MEAN_ALL)
		b.device_factor = (double)parts->queues;
	if (parts->threads && b.total)
		return b;
	largest_inclusive(p, &derived[-1 - number], largest);
	return (struct base){NULL, largest, NULL, 1, 1};
}

/* Values of row number i. */
static int store_values(struct db_store *s, const struct profile *p, const struct joined *j,
			const struct profile_thread *t, size_t i, const struct base *b,
			int device)
{
	const struct profile_row *r = &t->row[i];
	double factor = device ? b->device_factor : b->factor;
	int code = 0;

	for (size_t m = 0; code == 0 && m < p->metric_n; m++) {
		/* If the thread has a row in thread_sum, percentages follow from it. */
		int computed = b->sums && b->sums[m].timers;
		struct bulk *to = computed ? &s->values : &s->percents;
		double incl = t->values[r->first + m], excl = t->values[r->first + p->metric_n + m];

		bulk_integer(to, s->call_data);
		bulk_integer(to, s->metric.v[j->metric[m]]);
		bulk_number(to, incl);
		bulk_number(to, excl);
		bulk_number(to, profile_squared(p, t, r, m));
		if (!computed) {
			double most = b->sums ? b->sums[m].largest : b->largest[m],
			       of = most > 0 ? most : NAN,
			       share = b->total ? b->total->values[b->total->row[i].first + m]
						: incl;

			bulk_number(to, 100 * share / of);
			bulk_number(to, 100 * (excl * factor) / of);
		}
		code = bulk_row(to, s->e);
	}
	return code;
}

/* All timer rows of one thread in one window. device: by timer; NULL: all is of threads. */
static int store_rows(struct db_store *s, const struct profile *p, const struct joined *j,
		      const struct profile_thread *t, int64_t thread, const struct base *b,
		      const char *device)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];

		bulk_integer(&s->data, s->path.v[j->path[r->path]]);
		bulk_integer(&s->data, thread);
		bulk_number(&s->data, r->calls);
		bulk_number(&s->data, r->subrs);
		bulk_known(&s->data, s->range.v[s->at]);
		code = bulk_row(&s->data, s->e);
		if (code == 0)
			code = store_values(s, p, j, t, i, b,
					    device && device[p->path[r->path].timer]);
		s->call_data++;
	}
	return code;
}

/* The threads of a window that are stored: the real ones, then the derived ones, with their rows' numbers. */
struct stored_source {
	const struct profile_thread *thread;
	int64_t id;
};

/* A counter row's place: sources[source].thread->sample[sample]. */
struct store_place {
	uint32_t source, sample;
};

/*
 * All counter rows of a window but those of memory by type, by counter: rows of a counter then lie
 * together, in the order of its index, so that loading and removing a trial reads the table from front to back.
 */
static struct store_place *order_samples(const struct profile *p,
					 const struct stored_source *sources, size_t n,
					 const unsigned char *taken, size_t *total)
{
	size_t *next = mem_alloc((p->counter_n + 1) * sizeof(*next));
	struct store_place *place;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < sources[k].thread->sample_n; i++)
			next[sources[k].thread->sample[i].counter + 1] +=
				!taken[sources[k].thread->sample[i].counter];
	for (size_t c = 0; c < p->counter_n; c++)
		next[c + 1] += next[c];
	*total = next[p->counter_n];
	place = mem_resize(NULL, *total, sizeof(*place));
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < sources[k].thread->sample_n; i++)
			if (!taken[sources[k].thread->sample[i].counter])
				place[next[sources[k].thread->sample[i].counter]++] =
					(struct store_place){(uint32_t)k, (uint32_t)i};
	free(next);
	return place;
}

static int store_sample(struct db_store *s, const struct joined *j,
			const struct profile_sample *v, int64_t thread)
{
	const double numbers[] = {v->n, v->max, v->min, v->mean, derived_deviation(v), v->sumsq};

	bulk_integer(&s->samples, s->counter.v[j->counter[v->counter]]);
	bulk_known(&s->samples, v->path == PROFILE_FLAT ? 0 : s->path.v[j->path[v->path]]);
	bulk_integer(&s->samples, thread);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		bulk_number(&s->samples, numbers[i]);
	bulk_known(&s->samples, s->range.v[s->at]);
	return bulk_row(&s->samples, s->e);
}

static int store_samples(struct db_store *s, const struct profile *p, const struct joined *j,
			 const struct stored_source *sources, size_t n, const unsigned char *taken)
{
	size_t total;
	struct store_place *place = order_samples(p, sources, n, taken, &total);
	int code = store_memory(s, p, j, s->range.v[s->at], taken);

	if (code == 0)
		code = store_messages(s, p, j, s->range.v[s->at], taken);
	for (size_t i = 0; code == 0 && i < total; i++) {
		const struct stored_source *from = &sources[place[i].source];

		code = store_sample(s, j, &from->thread->sample[place[i].sample], from->id);
	}
	free(place);
	return code;
}

/* One row for each metric of a thread that has timers. */
static int store_sums(struct db_store *s, const struct profile *p, const struct joined *j,
		      int64_t thread, const struct thread_sum *sums)
{
	int code = 0;

	for (size_t m = 0; code == 0 && m < p->metric_n; m++) {
		const struct thread_sum *sum = &sums[m];

		if (!sum->timers)
			continue;
		bulk_integer(&s->sums, thread);
		bulk_known(&s->sums, s->range.v[s->at]);
		bulk_integer(&s->sums, s->metric.v[j->metric[m]]);
		bulk_integer(&s->sums, (int64_t)sum->timers);
		bulk_number(&s->sums, sum->exclusive);
		bulk_number(&s->sums, sum->runtimes);
		bulk_number(&s->sums, sum->largest);
		code = bulk_row(&s->sums, s->e);
	}
	return code;
}

/* All timer rows and sums of a thread; adds its largest inclusive values to parts. */
static int store_thread(struct db_store *s, const struct profile *p, const struct joined *j,
			const struct stored_source *from, const unsigned char *paths,
			struct thread_sum *sums, struct derived_parts *parts)
{
	const struct base b = {sums, NULL, NULL, 1, 1};
	enum waiting_class class = waiting_class(s->waiting, from->thread);
	int code;

	parts->threads += class == WAITING_COUNTS;
	parts->queues += class == WAITING_QUEUE;
	for (size_t m = 0; m < p->metric_n; m++) {
		sums[m] = thread_sums(p, from->thread, m, paths);
		if (class == WAITING_COUNTS && sums[m].largest > 0)
			parts->largest[m] += sums[m].largest;
		if (class == WAITING_WAITS)
			parts->largest[m] += waiting_did(p, from->thread, m);
	}
	code = store_rows(s, p, j, from->thread, from->id, &b, NULL);
	return code == 0 ? store_sums(s, p, j, from->id, sums) : code;
}

/* Timer rows of all threads. */
static int store_timer_rows(struct db_store *s, const struct profile *p, const struct joined *j,
			const struct stored_source *sources, size_t n,
			const struct profile_thread *derived)
{
	unsigned char *paths = thread_sums_paths(p);
	double *largest = mem_alloc((p->metric_n + 1) * sizeof(*largest));
	struct thread_sum *sums = mem_alloc((p->metric_n + 1) * sizeof(*sums));
	struct derived_parts parts = {0, 0, waiting_device_timers(s->waiting, p),
			      mem_alloc((p->metric_n + 1) * sizeof(*parts.largest))};
	size_t i = 0;
	int code = 0;

	for (; code == 0 && i < n && sources[i].thread->node >= 0; i++)
		code = store_thread(s, p, j, &sources[i], paths, sums, &parts);
	/* Rows are written in their order. */
	if (code == 0)
		code = bulk_flush(&s->values, s->e);
	for (; code == 0 && i < n; i++) {
		struct base b =
			base_of(p, sources[i].thread->node, &parts, derived, largest);

		code = store_rows(s, p, j, sources[i].thread, sources[i].id, &b, parts.device);
	}
	if (code == 0)
		code = bulk_flush(&s->percents, s->e);
	free(parts.device);
	free(parts.largest);
	free(largest);
	free(sums);
	free(paths);
	return code;
}

static int store_window(struct db_store *s, const struct profile *p, const struct joined *j)
{
	struct profile_thread derived[STATS_DERIVED];
	struct stored_source *sources =
		mem_resize(NULL, p->thread_n + STATS_DERIVED, sizeof(*sources));
	unsigned char *taken = memory_counters(p);
	size_t n = 0;
	int code;

	messages_counters(p, taken);
	derived_derive(p, s->waiting, taken, derived);
	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].node >= 0)
			sources[n++] =
				(struct stored_source){&p->thread[i], s->thread.v[j->thread[i]]};
	for (int d = 0; d < STATS_DERIVED; d++)
		sources[n++] = (struct stored_source){ &derived[d], s->derived[d] };
	code = store_timer_rows(s, p, j, sources, n, derived);
	if (code == 0)
		code = store_samples(s, p, j, sources, n, taken);
	derived_release(derived);
	free(taken);
	free(sources);
	return code;
}

struct db_store *db_store_new(int summary)
{
	struct db_store *s = mem_alloc(sizeof(*s));

	*s = (struct db_store){
		.summary = summary,
		.waiting = waiting_new(),
		.all = profile_new(),
		.data = { .table = "timer_call_data",
			  .width = 5,
			  .columns = "timer_callpath, thread, calls, subroutines, time_range" },
		.values = { .table = "timer_value_base",
			    .width = 5,
			    .columns = "timer_call_data, metric, inclusive_value, exclusive_value, "
				       "sum_exclusive_squared" },
		.percents = { .table = "timer_value_base",
			      .width = 7,
			      .columns = "timer_call_data, metric, inclusive_value, "
					 "exclusive_value, sum_exclusive_squared, "
					 "inclusive_percent, exclusive_percent" },
		.samples = { .table = "counter_value_base",
			     .width = 10,
			     .columns =
				     "counter, timer_callpath, thread, sample_count, "
				     "maximum_value, minimum_value, "
				     "mean_value, standard_deviation, sum_of_squares, time_range" },
		.memory = { .table = "memory_value",
			    .width = 25,
			    .columns =
				    "object, time_range, context_rank, thread_rank, first_node, "
				    "last_node, live_bytes, live_blocks, peak_bytes, peak_blocks, "
				    "alloc_blocks, alloc_bytes, alloc_min, alloc_max, "
				    "alloc_squares, "
				    "free_blocks, free_bytes, free_min, free_max, free_squares, "
				    "retyped_blocks, retyped_bytes, retyped_min, retyped_max, "
				    "retyped_squares" },
		.messages = { .table = "message_value",
			      .width = 11,
			      .columns = "message_peer, time_range, context_rank, thread_rank, "
					 "first_node, last_node, messages, bytes, smallest, "
					 "largest, squares" },
		.sums = { .table = "thread_sum",
			  .width = 7,
			  .columns = "thread, time_range, metric, timers, exclusive, runtimes, "
				     "largest" },
	};
	return s;
}

void db_store_define(struct db_store *s, const struct profile *p)
{
	struct joined j = join_window(s->all, p, !s->summary);

	/* The trial has the number of PEs. */
	for (size_t i = 0; i < p->thread_n; i++)
		if (j.thread[i] != PROFILE_FLAT &&
		    profile_meta_of(p, (uint32_t)i, TAU_META_NOT_A_PE))
			profile_set_meta(s->all, j.thread[i], TAU_META_NOT_A_PE, "yes");
	joined_release(&j);
	for (size_t i = 0; i < p->thread_n && !s->summary; i++)
		s->rows += (int64_t)p->thread[i].row_n;
	s->rows += STATS_DERIVED * (int64_t)p->path_n;
	if (!s->span_n) {
		s->all->name = p->name ? mem_string(p->name) : NULL;
		s->all->source = p->source;
		s->all->summary = p->summary;
	}
	*array_add(s, span) = (struct span){
		p->window ? mem_string(p->window) : NULL, p->begin_us, p->end_us};
	content_add(&s->content, p);
	store_note_metadata(s, p);
	waiting_note(s->waiting, p);
}

void db_store_once(struct db_store *s)
{
	s->once = 1;
}

void db_store_origin(struct db_store *s, const struct db_origin *origin)
{
	s->origin = origin;
}

int db_store_known(const struct db_store *s)
{
	return s->known;
}

/* Is a trial with the same content there? */
static int find_content(struct db_store *s)
{
	char *content = content_text(&s->content);
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e, "SELECT min(id) FROM trial WHERE content = ?");

	if (code == 0) {
		db_bind_text(q, 1, content);
		code = db_step(s->db, q, s->e);
	}
	s->known = code == 1 && sqlite3_column_type(q, 0) != SQLITE_NULL;
	s->trial = s->known ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	free(content);
	return code < 0 ? code : 0;
}

int db_store_begin(struct db_store *s, struct db *db, const struct profile_summary *summary,
		   struct error *e)
{
	int code = db_run(db, "BEGIN IMMEDIATE", e);

	if (code < 0)
		return code;
	s->db = s->data.db = s->values.db = s->percents.db = s->samples.db = s->memory.db =
		s->messages.db = s->sums.db = db;
	s->e = e;
	if (summary)
		s->all->summary = *summary;
	waiting_judge(s->waiting, TIMER_MEASURED);
	profile_sort(s->all);
	code = db_upgrade(db, e);
	s->content.sum[0] += s->summary != 0;
	if (code == 0 && s->once)
		code = find_content(s);
	if (code || s->known)
		return code;
	code = call_index_drop(db, s->rows, &s->index, e);
	if (code == 0)
		code = store_definitions(s);
	return code ? code : store_views(s);
}

int db_store_window(struct db_store *s, const struct profile *p, struct error *e)
{
	struct joined j;
	int code;

	if (s->known)
		return 0;
	j = join_window(s->all, p, 1);
	s->e = e;
	code = store_metadata(s, p, &j);
	if (code == 0)
		code = store_window(s, p, &j);
	joined_release(&j);
	s->at++;
	return code;
}

static void store_release(struct db_store *s)
{
	struct ids *const ids[] = { &s->metric,  &s->timer,  &s->path,
				    &s->counter, &s->thread, &s->range, &s->object,
				    &s->peer };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		free(ids[i]->v);
	for (size_t i = 0; i < s->span_n; i++)
		free(s->span[i].window);
	free(s->span);
	free(s->kept.v);
	free(s->index);
	store_forget_metadata(s);
	bulk_release(&s->data);
	bulk_release(&s->values);
	bulk_release(&s->percents);
	bulk_release(&s->samples);
	bulk_release(&s->memory);
	bulk_release(&s->messages);
	bulk_release(&s->sums);
	profile_free(s->all);
	waiting_free(s->waiting);
	free(s);
}

/* The database has given out the numbers of timer_call_data that the values refer to. */
static int check_call_data(struct db_store *s)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e, "SELECT max(id) FROM timer_call_data");

	if (code == 0)
		code = db_step(s->db, q, s->e);
	if (code == 1 && s->call_data != s->first_call_data &&
	    sqlite3_column_int64(q, 0) != s->call_data - 1)
		code = error_set(s->e, ERROR_INPUT,
				 "%s: the numbers of rows of timer_call_data are not the expected "
				 "ones",
				 s->db->file);
	sqlite3_finalize(q);
	return code < 0 ? code : 0;
}

int db_store_end(struct db_store *s, int code, int64_t *trial, struct error *e)
{
	struct bulk *const bulk[] = {&s->data, &s->values, &s->percents, &s->samples,
				     &s->memory, &s->messages, &s->sums};

	for (size_t i = 0; code == 0 && i < sizeof(bulk) / sizeof(bulk[0]); i++)
		code = bulk_flush(bulk[i], e);
	if (s->db) {
		struct db *db = s->db;

		/* Statements end before the transaction. */
		for (size_t i = 0; i < sizeof(bulk) / sizeof(bulk[0]); i++)
			bulk_release(bulk[i]);
		if (code == 0 && !s->known)
			code = check_call_data(s);
		if (code == 0 && s->index)
			code = db_run(db, s->index, e);
		code = db_end(db, code, e);
	}
	if (code == 0)
		*trial = s->trial;
	store_release(s);
	return code;
}

int db_store(struct db *db, const struct profile *const *windows, size_t n, int64_t *trial,
	     struct error *e)
{
	struct db_store *s = db_store_new(0);
	int code;

	for (size_t w = 0; w < n; w++)
		db_store_define(s, windows[w]);
	code = db_store_begin(s, db, NULL, e);
	for (size_t w = 0; code == 0 && w < n; w++)
		code = db_store_window(s, windows[w], e);
	return db_store_end(s, code, trial, e);
}
