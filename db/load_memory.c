/* load_memory.c: rows of memory by type -> objects, counters and samples of a profile. */
#include <string.h>

#include "analyze/profile/memory_object.h"
#include "analyze/profile/profile.h"
#include "db/load.h"
#include "db/private.h"

/* The elements of a chain of owners. */
static int load_owners(struct load *l, int64_t chain, struct memory_object *o)
{
	sqlite3_stmt *q = NULL;
	size_t cap = 0;
	int code =
		db_prepare(l->db, &q, l->e,
			   "SELECT n.name FROM memory_owner w JOIN memory_name n ON n.id = w.name "
			   "WHERE w.chain = ? ORDER BY w.position");

	if (code == 0)
		sqlite3_bind_int64(q, 1, chain);
	while (code == 0 && (code = db_step(l->db, q, l->e)) == 1) {
		if (o->owner_n == cap) {
			cap = 2 * cap + 4;
			o->owner = mem_resize(o->owner, cap, sizeof(*o->owner));
		}
		o->owner[o->owner_n++] = mem_string(db_text(q, 0));
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

static char *text_or_null(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL ? NULL
							     : mem_string(db_text(q, column));
}

static int read_object(struct load *l, sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0), kind = sqlite3_column_int64(q, 2),
		family = sqlite3_column_int64(q, 3);
	struct memory_object o = {0};
	uint32_t object;
	int code = 0;

	if (kind < 0 || kind >= MEMORY_KINDS || family < 0 || family >= MEMORY_FAMILIES)
		return load_bad(l, "memory_object", id, "its kind or family is unknown");
	o.kind = (enum memory_kind)kind;
	o.family = (enum memory_family)family;
	o.type = text_or_null(q, 1);
	o.library = text_or_null(q, 4);
	o.site = text_or_null(q, 6);
	if (sqlite3_column_type(q, 5) != SQLITE_NULL)
		code = load_owners(l, sqlite3_column_int64(q, 5), &o);
	if (code == 0) {
		object = profile_add_object(l->p, &o);
		numbers_add(&l->object, id, object);
		while (l->memory.v_n < (size_t)(object + 1) * NUMBERS)
			*array_add(&l->memory, v) = PROFILE_FLAT;
	}
	memory_object_release(&o);
	return code;
}

int load_objects(struct load *l)
{
	if (!l->db->memory)
		return 0;
	return load_rows(
		l,
		"SELECT o.id, t.name, o.kind, o.family, b.name, o.owner, s.name FROM memory_object "
		"o "
		"LEFT JOIN memory_name t ON t.id = o.type LEFT JOIN memory_name b ON b.id = "
		"o.library "
		"LEFT JOIN memory_name s ON s.id = o.site WHERE o.trial = ?1 ORDER BY o.id",
		read_object);
}

static int read_counter_name(struct load *l, sqlite3_stmt *q)
{
	const char *name = db_text(q, 1);

	if (sqlite3_column_type(q, 1) != SQLITE_NULL)
		names_add(&l->counter_names, name, strlen(name));
	return 0;
}

static int read_counter(struct load *l, sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0), number = sqlite3_column_int64(q, 3);
	uint32_t object, counter;

	if (sqlite3_column_type(q, 2) == SQLITE_NULL) {
		numbers_add(&l->counter, id, profile_read_counter(l->p, db_text(q, 1)));
		return 0;
	}
	if (!numbers_find(&l->object, sqlite3_column_int64(q, 2), &object) ||
	    number <= NUMBER_NONE || number >= NUMBERS)
		return load_bad(l, "counter_base", id,
				"its memory_object or memory_number is missing");
	counter = profile_add_memory(l->p, (enum memory_number)number, object);
	l->memory.v[object * NUMBERS + (size_t)number] = counter;
	numbers_add(&l->counter, id, counter);
	return 0;
}

int load_counters(struct load *l)
{
	const char *sql =
		l->db->memory
			? "SELECT id, name, object, number FROM counter_base WHERE trial = ?1 "
			  "ORDER BY id"
			: "SELECT id, name, NULL, NULL FROM counter WHERE trial = ?1 ORDER BY id";
	int code = load_rows(l, sql, read_counter_name);

	return code < 0 ? code : load_rows(l, sql, read_counter);
}

/* Numbers of memory_value, in the order of its columns: 1 for a state, 5 for blocks. */
static const struct {
	enum memory_number number;
	int columns;
} numbers[] = {
	{NUMBER_LIVE, 1},  {NUMBER_LIVE_OBJECTS, 1}, {NUMBER_PEAK, 1},    {NUMBER_PEAK_OBJECTS, 1},
	{NUMBER_ALLOC, 5}, {NUMBER_FREE, 5},         {NUMBER_RETYPED, 5},
};

enum { KEY_COLUMNS = 5 };

static void read_number(struct load *l, sqlite3_stmt *q, int column, int columns, uint32_t thread,
			uint32_t counter)
{
	struct profile_sample *s = profile_add_sample(l->p, thread, counter, PROFILE_FLAT);
	double v = sqlite3_column_double(q, column);

	*s = (struct profile_sample){counter, PROFILE_FLAT, 1, v, v, v, v * v};
	if (columns == 1)
		return;
	s->n = v;
	s->mean = sqlite3_column_double(q, column + 1) / v;
	s->min = sqlite3_column_double(q, column + 2);
	s->max = sqlite3_column_double(q, column + 3);
	s->sumsq = sqlite3_column_double(q, column + 4);
}

/* A row for the nodes first to last. */
static int read_amount(struct load *l, sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0), first = sqlite3_column_int64(q, 3),
		last = sqlite3_column_int64(q, 4);
	uint32_t object;

	if (!numbers_find(&l->object, id, &object))
		return load_bad(l, "memory_value of memory_object", id, "there is no such object");
	for (int64_t node = first; node <= last; node++) {
		uint32_t thread;

		if (!load_thread_at(l, node, sqlite3_column_int(q, 1), sqlite3_column_int(q, 2),
				    &thread))
			return load_bad(l, "memory_value of memory_object", id,
					"one of its threads is missing");
		for (size_t i = 0, column = KEY_COLUMNS; i < sizeof(numbers) / sizeof(*numbers);
		     column += (size_t)numbers[i++].columns) {
			uint32_t counter = l->memory.v[object * NUMBERS + numbers[i].number];

			if (sqlite3_column_type(q, (int)column) == SQLITE_NULL)
				continue;
			if (counter == PROFILE_FLAT)
				return load_bad(l, "memory_value of memory_object", id,
						"its counter is missing");
			read_number(l, q, (int)column, numbers[i].columns, thread, counter);
		}
	}
	return 0;
}

int load_amounts(struct load *l)
{
	if (!l->db->memory)
		return 0;
	return load_rows(
		l,
		"SELECT m.object, m.context_rank, m.thread_rank, m.first_node, m.last_node, "
		"live_bytes, live_blocks, peak_bytes, peak_blocks, "
		"alloc_blocks, alloc_bytes, alloc_min, alloc_max, alloc_squares, "
		"free_blocks, free_bytes, free_min, free_max, free_squares, "
		"retyped_blocks, retyped_bytes, retyped_min, retyped_max, retyped_squares "
		"FROM memory_object o JOIN memory_value m ON m.object = o.id "
		"WHERE o.trial = ?1 AND m.time_range IS ?2",
		read_amount);
}
