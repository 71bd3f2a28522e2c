/*
 * db_memory.c: memory by type and messages by peer in a database: what is loaded is what was stored, whatever its numbers are; the views that
 * present it as counters have each row, and statistics that are recomputed here from the samples.
 */
#include <math.h>
#include <sqlite3.h>
#include <unistd.h>

#include "db/db.h"
#include "draw.h"
#include "files.h"
#include "profiles.h"
#include "tap.h"

static char scratch[] = "/tmp/tau-test.XXXXXX";

static const char *below(const char *name)
{
	return file_below(scratch, name);
}

enum { PES = 12, TYPES = 6 };

static uint64_t draw(size_t n)
{
	return draw_below(n);
}

static void is_int(const char *what, int64_t got, int64_t expected)
{
	if (!ok(got == expected, "%s", what))
		printf("# got: %jd\n# expected: %jd\n", (intmax_t)got, (intmax_t)expected);
}

/* Blocks of some sizes: few different ones, so that PEs that follow each other are often alike. */
static struct profile_sample blocks(void)
{
	struct profile_sample s = { .n = (double)(1 + draw(3)), .min = INFINITY };
	double sum = 0;

	for (int i = 0; i < (int)s.n; i++) {
		double size = (double)(16 * (1 + draw(2)));

		s.max = size > s.max ? size : s.max;
		s.min = size < s.min ? size : s.min;
		s.sumsq += size * size;
		sum += size;
	}
	s.mean = sum / s.n;
	return s;
}

static struct profile_sample state(double v)
{
	return (struct profile_sample){ .n = 1, .max = v, .min = v, .mean = v, .sumsq = v * v };
}

static void put(struct profile *p, uint32_t thread, enum memory_number n, uint32_t object, struct profile_sample s)
{
	uint32_t counter = profile_add_memory(p, n, object);

	s.counter = counter;
	s.path = PROFILE_FLAT;
	*profile_add_sample(p, thread, counter, PROFILE_FLAT) = s;
}

static uint32_t object(struct profile *p, unsigned k)
{
	static char *owners[] = { "owner_t", "owner <= of owner" };
	struct memory_object o = { .type = k ? mem_printf("type_%u_t", k) : NULL,
				   .kind = k % MEMORY_KINDS,
				   .family = k % MEMORY_FAMILIES,
				   .library = k > 2 ? "libx.so.1" : NULL,
				   .owner = owners,
				   .owner_n = k % 3,
				   .site = k > 3 ? "f [libx.so.1]" : NULL };
	uint32_t id = profile_add_object(p, &o);

	free(o.type);
	return id;
}

static void put_messages(struct profile *p, uint32_t thread, const struct message_counter *m, struct profile_sample s)
{
	char *name = message_counter_name(m);
	uint32_t counter = profile_add_counter(p, name, COUNTER_EVENT);

	s.counter = counter;
	s.path = PROFILE_FLAT;
	*profile_add_sample(p, thread, counter, PROFILE_FLAT) = s;
	free(name);
}

/* Messages with a few peers, of all sizes and of classes. */
static void make_messages(struct profile *p, uint32_t thread, int odd)
{
	for (int32_t peer = MESSAGE_PEER_UNKNOWN; peer < 3; peer++)
		for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++) {
			struct message_counter m = {kind, peer, MESSAGE_ALL_SIZES};

			if (!draw(3))
				continue;
			put_messages(p, thread, &m, blocks());
			m.size_class = (int32_t)draw(3) * 32;
			put_messages(p, thread, &m, blocks());
			m.peer += 100;
			if (odd && draw(2))
				put_messages(p, thread, &m, state(0.25));
		}
}

/* odd: numbers that are no integers, and samples in a context. */
static struct profile *make(int odd)
{
	struct profile *p = profile_new();
	uint32_t path;

	p->name = mem_string("memory");
	profile_add_metric(p, "TIME");
	path = profile_add_path(p, profile_add_timer(p, "main", "TAU_USER", NULL, 0), PROFILE_FLAT);
	for (uint32_t t = 0; t < PES; t++) {
		uint32_t id = profile_add_thread(p, (int32_t)(t < 3 ? t : t + 1), 0, t % 4 == 3);

		profile_add_row(p, id, path)->calls = 1;
		make_messages(p, id, odd);
		for (unsigned k = 0; k < TYPES; k++) {
			uint32_t o = object(p, k);

			if (k == 1)
				put(p, id, NUMBER_PEAK, o, state(77));
			if (k == 1 || !draw(4))
				continue;
			put(p, id, NUMBER_LIVE, o, state(k == 5 ? 5e9 : (double)(8 * draw(3))));
			put(p, id, NUMBER_LIVE_OBJECTS, o, state((double)draw(2)));
			put(p, id, NUMBER_PEAK, o, state(1024));
			put(p, id, NUMBER_ALLOC, o, blocks());
			if (draw(2))
				put(p, id, NUMBER_FREE, o, blocks());
			if (!odd)
				continue;
			put(p, id, NUMBER_RETYPED, o, state(draw(2) ? 0.5 : 3));
			put(p, id, NUMBER_PEAK_OBJECTS, o, state(draw(2) ? -INFINITY : 1e17));
			put(p, id, NUMBER_LOST, o, blocks());
		}
	}
	profile_sort(p);
	return p;
}

static int64_t store(const char *file, const struct profile *const *w, size_t n)
{
	struct error e = { 0 };
	struct db *db = NULL;
	int64_t trial = -1;

	if (db_open(file, DB_CREATE, &db, &e) < 0 || db_store(db, w, n, &trial, &e) < 0)
		printf("# %s\n", e.text);
	db_close(db);
	return trial;
}

static int same_objects(const struct profile *a, const struct profile *b)
{
	int same = a->object.v_n == b->object.v_n;

	for (size_t i = 0; same && i < a->object.v_n; i++) {
		const struct memory_object *x = &a->object.v[i], *y;
		int64_t id = names_find(&b->object.names, a->object.names.name[i], strlen(a->object.names.name[i]));

		y = id < 0 ? NULL : &b->object.v[id];
		same = y && x->kind == y->kind && x->family == y->family && x->owner_n == y->owner_n &&
		       !x->library == !y->library && (!x->library || !strcmp(x->library, y->library));
		for (size_t k = 0; same && k < x->owner_n; k++)
			same = !strcmp(x->owner[k], y->owner[k]);
	}
	return same;
}

static void check_load(const char *what, const char *file, int64_t trial, size_t window, const struct profile *expected)
{
	struct profile *p = NULL;
	struct error e = { 0 };
	struct db *db = NULL;
	int good = db_open(file, DB_READ, &db, &e) == 0 && db_load(db, trial, window, &p, &e) == 0;

	ok(good && profiles_same(expected, p) && same_objects(expected, p), "%s%s%s", what, *e.text ? ": " : "", e.text);
	profile_free(p);
	db_close(db);
}

/* Columns of counter_value: of one row. */
struct row {
	double v[6];
};

static double deviation_of(const double *x, const double *here, size_t n, double share)
{
	double mean = 0, square = 0, present = 0;

	for (size_t i = 0; i < n; i++)
		mean += here[i] * x[i];
	mean /= share;
	for (size_t i = 0; i < n; i++)
		square += here[i] * (x[i] - mean) * (x[i] - mean);
	for (size_t i = 0; i < n; i++)
		present += here[i];
	square += (share - present) * mean * mean;
	return sqrt(square / share);
}

/* What derived thread d has of a counter, from the samples of all threads. 0: no sample. */
static int expect(const struct profile *p, uint32_t counter, int d, struct row *out)
{
	double x[5][PES] = { { 0 } }, here[PES] = { 0 }, stat[5], present = 0, n = 0, sum = 0, squares = 0, all = PES;

	for (uint32_t t = 0; t < p->thread_n; t++) {
		const struct profile_sample *s = profile_sample_get(&p->thread[t], counter, PROFILE_FLAT);
		const double v[5] = { s ? s->n : 0, s ? s->max : 0, s ? s->min : 0, s ? s->mean : 0,
				      s ? sqrt(fabs(s->sumsq / s->n - s->mean * s->mean)) : 0 };

		here[t] = s != NULL;
		present += here[t];
		for (int k = 0; k < 5; k++)
			x[k][t] = v[k];
		n += s ? s->n : 0;
		sum += s ? s->n * s->mean : 0;
		squares += s ? s->sumsq : 0;
	}
	if (!present)
		return 0;
	for (int k = 0; k < 5; k++) {
		double least = INFINITY, most = -INFINITY, total = 0;

		for (size_t t = 0; t < PES; t++) {
			total += x[k][t];
			if (here[t]) {
				least = fmin(least, x[k][t]);
				most = fmax(most, x[k][t]);
			}
		}
		stat[k] = d == -1   ? total / present
			  : d == -2 ? (k == 1 ? most : k == 2 ? least : total)
			  : d == -3 ? deviation_of(x[k], here, PES, present)
			  : d == -4 ? least
			  : d == -5 ? most
			  : d == -6 ? total / all
				    : deviation_of(x[k], here, PES, all);
	}
	if (d == -1 || d == -2 || d == -6) {
		stat[3] = sum / n;
		stat[4] = sqrt(fabs(squares / n - stat[3] * stat[3]));
		squares /= d == -1 ? present : d == -2 ? 1 : all;
	} else {
		squares = stat[0] * (stat[4] * stat[4] + stat[3] * stat[3]);
		stat[4] = stat[0] > 0 ? stat[4] : 0; /* as derived_deviation() has it without samples */
	}
	*out = (struct row){ { stat[0], stat[1], stat[2], stat[3], stat[4], squares } };
	return 1;
}

static int near(const struct row *a, const struct row *b, double error)
{
	for (int i = 0; i < 6; i++)
		if (fabs(a->v[i] - b->v[i]) > error * (1 + fabs(b->v[i])))
			return 0;
	return 1;
}

/* Every row of the view counter_value against p; how many there are, or -1. */
static int view_rows(const char *file, const struct profile *p)
{
	sqlite3 *h;
	sqlite3_stmt *q = NULL;
	int rows = 0;

	sqlite3_open(file, &h);
	if (sqlite3_prepare_v2(h,
			       "SELECT c.name, t.node_rank, t.context_rank, t.thread_rank, sample_count, maximum_value, "
			       "minimum_value, mean_value, standard_deviation, sum_of_squares FROM counter_value v "
			       "JOIN counter c ON c.id = v.counter JOIN thread t ON t.id = v.thread",
			       -1, &q, NULL) != SQLITE_OK)
		rows = -1;
	while (rows >= 0 && sqlite3_step(q) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(q, 0);
		int64_t counter = names_find(&p->counter_names, name, strlen(name)), thread;
		const int32_t key[] = { sqlite3_column_int(q, 1), sqlite3_column_int(q, 2), sqlite3_column_int(q, 3) };
		const struct profile_sample *s = NULL;
		struct row got, expected;
		int good = counter >= 0;

		for (int k = 0; k < 6; k++)
			got.v[k] = sqlite3_column_double(q, 4 + k);
		if (good && key[0] >= 0) {
			thread = names_find(&p->thread_names, (const char *)key, sizeof(key));
			s = thread < 0 ? NULL
				       : profile_sample_get(&p->thread[thread], (uint32_t)counter, PROFILE_FLAT);
			good = s && s->n == got.v[0] && s->max == got.v[1] && s->min == got.v[2] && s->mean == got.v[3] &&
			       s->sumsq == got.v[5];
		} else if (good) {
			good = expect(p, (uint32_t)counter, key[0], &expected) && near(&got, &expected, 1e-6);
		}
		if (!good)
			printf("# %s on %d.%d.%d: %g %g %g %g %g %g\n", name, key[0], key[1], key[2], got.v[0], got.v[1],
			       got.v[2], got.v[3], got.v[4], got.v[5]);
		rows = good ? rows + 1 : -1;
	}
	sqlite3_finalize(q);
	sqlite3_close(h);
	return rows;
}

static int expected_rows(const struct profile *p)
{
	struct row unused;
	int rows = 0;

	for (size_t t = 0; t < p->thread_n; t++)
		rows += (int)p->thread[t].sample_n;
	for (uint32_t c = 0; c < p->counter_n; c++)
		rows += 7 * expect(p, c, -1, &unused);
	return rows;
}

/* The first column of the first row. */
static int64_t ask(const char *file, const char *sql)
{
	sqlite3 *h;
	sqlite3_stmt *q = NULL;
	int64_t v = -1;

	if (sqlite3_open(file, &h) == SQLITE_OK && sqlite3_prepare_v2(h, sql, -1, &q, NULL) == SQLITE_OK &&
	    sqlite3_step(q) == SQLITE_ROW)
		v = sqlite3_column_int64(q, 0);
	else
		printf("# %s\n", sqlite3_errmsg(h));
	sqlite3_finalize(q);
	sqlite3_close(h);
	return v;
}

static void check_views(void)
{
	const char *f = below("views.db");
	struct profile *p = make(0);
	const struct profile *one[] = { p };
	double live = 0;

	is_int("it is trial 1", store(f, one, 1), 1);
	check_load("memory by type is loaded as it was stored", f, 1, 0, p);
	is_int("all of it is in memory_value", ask(f, "SELECT count(*) FROM counter_value_base"), 0);
	is_int("counter_value has each sample, and the statistics recomputed", view_rows(f, p), expected_rows(p));
	for (size_t t = 0; t < p->thread_n; t++)
		for (size_t i = 0; i < p->thread[t].sample_n; i++)
			if (p->counter[p->thread[t].sample[i].counter].number == NUMBER_LIVE)
				live += p->thread[t].sample[i].mean;
	is_int("memory_by_thread adds up", ask(f, "SELECT sum(live_bytes) FROM memory_by_thread"), (int64_t)live);
	is_int("PEs share rows", ask(f, "SELECT count(*) FROM memory_value") < ask(f, "SELECT count(*) FROM memory_by_thread"), 1);
	is_int("kinds and families have names", ask(f, "SELECT count(*) FROM (SELECT c.id FROM memory_kind k JOIN memory_object c ON c.kind = k.id "
		      "JOIN memory_family f ON f.id = c.family)"),
	       TYPES);
	profile_free(p);
}

/* A database of an earlier version: messages are counters like others. */
static void check_older(void)
{
	const char *f = below("older.db");
	struct profile *p = make(0), *odd = make(1);
	const struct profile *one[] = { p }, *two[] = { odd };
	struct error e = { 0 };
	struct db *db = NULL;
	sqlite3 *h;
	int64_t rows;

	store(f, one, 1);
	rows = ask(f, "SELECT count(*) FROM message_by_pair");
	is_int("message_by_pair has a row for each sample", rows > 100, 1);
	is_int("PEs share rows of messages", ask(f, "SELECT count(*) FROM message_value") < rows, 1);
	is_int("a receiver of sent messages is the peer", ask(f, "SELECT count(*) FROM message_by_pair WHERE kind IN ('sent', 'put', 'atomic') AND "
		      "sender IS NOT node_rank OR kind IN ('received', 'got') AND receiver IS NOT node_rank"), 0);
	store(f, two, 1);
	sqlite3_open(f, &h);
	ok(sqlite3_exec(h, "CREATE TEMP TABLE keep AS SELECT * FROM counter_value WHERE counter IN (SELECT counter FROM message_peer);"
			   "DELETE FROM counter_value_base WHERE counter IN (SELECT counter FROM message_peer);"
			   "INSERT INTO counter_value_base SELECT * FROM keep; DROP VIEW message_by_pair; DROP TABLE message_value;"
			   "DROP VIEW memory_row; CREATE VIEW memory_row AS SELECT 1 AS counter, 1 AS trial, 1 AS time_range, 0 AS context_rank, "
			   "0 AS thread_rank, 0 AS first_node, 0 AS last_node, 1 AS threads, 1 AS n, 1 AS most, 1 AS least, 1 AS total, 1 AS squares;"
			   "DROP TABLE message_peer; DROP TABLE message_kind", NULL, NULL, NULL) == SQLITE_OK,
	   "an earlier version: %s", sqlite3_errmsg(h));
	sqlite3_close(h);
	check_load("is loaded", f, 1, 0, p);
	ok(db_open(f, DB_WRITE, &db, &e) == 0 && db_remove(db, (int64_t[]){ 9 }, 1, &e) < 0, "a failed change: %s", e.text);
	check_load("leaves it as it is", f, 1, 0, p);
	is_int("a trial that is stored", store(f, one, 1), 3);
	db_close(db);
	check_load("makes it new, with the same numbers", f, 1, 0, p);
	check_load("and those that are no integers", f, 2, 0, odd);
	is_int("messages are moved", ask(f, "SELECT count(*) FROM message_by_pair WHERE trial = 1"), rows);
	is_int("all of them", ask(f, "SELECT count(*) FROM counter_value_base v JOIN counter_base c ON c.id = v.counter AND c.trial = 1"), 0);
	ok(db_open(f, DB_WRITE, &db, &e) == 0 && db_remove(db, (int64_t[]){ 2, 3 }, 2, &e) == 0, "removed: %s", e.text);
	db_close(db);
	is_int("counter_value has each sample, and the statistics recomputed", view_rows(f, p), expected_rows(p));
	profile_free(p);
	profile_free(odd);
}

static void check_odd(void)
{
	struct profile *p = make(1), *q = make(0);
	const struct profile *two[] = { p, q };
	const char *f = below("odd.db");
	struct error e = { 0 };
	struct db *db = NULL;

	p->window = mem_string("0:1s");
	p->end_us = 1e6;
	q->window = mem_string("1s:2s");
	q->begin_us = 1e6;
	q->end_us = 2e6;
	store(f, two, 2);
	check_load("what is no integer is kept, too", f, 1, 0, p);
	check_load("beside a window of integers", f, 1, 1, q);
	is_int("counter_value has all rows of both", ask(f, "SELECT count(*) FROM counter_value"),
	       expected_rows(p) + expected_rows(q));
	ok(db_open(f, DB_WRITE, &db, &e) == 0 && db_remove(db, (int64_t[]){ 1 }, 1, &e) == 0, "removed: %s", e.text);
	db_close(db);
	is_int("nothing is left", ask(f, "SELECT (SELECT count(*) FROM memory_value) + (SELECT count(*) FROM memory_object) + "
		      "(SELECT count(*) FROM memory_name) + (SELECT count(*) FROM memory_owner) + "
		      "(SELECT count(*) FROM message_peer) + (SELECT count(*) FROM message_value) + (SELECT count(*) FROM counter_base) + (SELECT count(*) FROM counter_value_base)"),
	       0);
	profile_free(p);
	profile_free(q);
}

/* Damage is an error, not an access to what is not there. */
static void check_damage(void)
{
	static const char *const harm[] = {
		"UPDATE memory_value SET last_node = 2000000000 WHERE first_node = (SELECT max(first_node) FROM memory_value)",
		"UPDATE memory_value SET thread_rank = 77",
		"UPDATE counter_base SET object = 999 WHERE id = 1",
		"UPDATE counter_base SET number = 99 WHERE id = (SELECT min(id) FROM counter_base WHERE number > 0)",
		"UPDATE memory_object SET kind = 9",
		"UPDATE memory_object SET family = -1",
		"DELETE FROM counter_base WHERE id = 1",
		"UPDATE message_value SET last_node = 2000000000 WHERE first_node = (SELECT max(first_node) FROM message_value)",
		"UPDATE message_value SET context_rank = 5",
	};
	struct profile *p = make(0), *q = NULL;
	const struct profile *one[] = { p };

	for (size_t i = 0; i < sizeof(harm) / sizeof(*harm); i++) {
		const char *f = below("damaged.db");
		struct error e = { 0 };
		struct db *db = NULL;
		sqlite3 *h;

		unlink(f);
		store(f, one, 1);
		sqlite3_open(f, &h);
		ok(sqlite3_exec(h, harm[i], NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(h) > 0, "%s", harm[i]);
		sqlite3_close(h);
		ok(db_open(f, DB_READ, &db, &e) == 0 && db_load(db, 1, 0, &q, &e) == ERROR_INPUT, "%s", e.text);
		db_close(db);
	}
	profile_free(p);
}

int main(void)
{
	char command[100];

	if (!mkdtemp(scratch))
		return 1;
	draw_seed(15);
	check_views();
	check_odd();
	check_older();
	check_damage();
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return tap_end() | (system(command) != 0);
}
