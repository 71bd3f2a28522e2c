/*
 * codes.c: a number that is kept for each object of code of Python, until it is freed.
 *
 * CPython has a place for such numbers in the object itself ("code extras"), but an object with one
 * calls the functions of all tools that free theirs when it ends, also those of tools that have
 * kept nothing with it, and those that are gone. Here a table has it by the object's address, and
 * a weak reference, whose callback removes the row when the object is freed. Objects in the data of
 * the interpreter's file (frozen modules) last.
 *
 * Rows of the table: address of an object -> number, address of a weak reference -> address of its
 * object. Readers take no lock, for interpreters without a global lock: rows do not move, and
 * an outgrown table stays as it is, so that all of them have at most twice the size of the last.
 */
#include "codes.h"

#include <dlfcn.h>
#include <sched.h>

#include "tau.h"

struct code_row {
	const void *key; /* NULL: the row has never been used, or no row after it needs it */
	uint64_t value;
};
static struct code_table {
	size_t size; /* rows: a power of 2 */
	size_t used; /* and removed ones */
	struct code_row rows[];
} * table;
static int changing; /* a lock: a thread changes the table */
static object *freed; /* the callback */

static const char removed_row;
#define REMOVED ((const void *)&removed_row)
#define FIRST   4096

static size_t row_first(const struct code_table *t, const void *key)
{
	return (((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15u >> 20) & (t->size - 1);
}

/* The row of a key; NULL: there is none. */
static struct code_row *row_find(struct code_table *t, const void *key)
{
	for (size_t i = t ? row_first(t, key) : 0; t; i = (i + 1) & (t->size - 1)) {
		const void *at = __atomic_load_n(&t->rows[i].key, __ATOMIC_ACQUIRE);

		if (at == key)
			return &t->rows[i];
		if (!at)
			break;
	}
	return NULL;
}

/* ---- changes ---- */

static void lock(void)
{
	while (__atomic_exchange_n(&changing, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&changing, 0, __ATOMIC_RELEASE);
}

static void row_add(struct code_table *t, const void *key, uint64_t value)
{
	size_t i = row_first(t, key);

	while (t->rows[i].key && t->rows[i].key != REMOVED)
		i = (i + 1) & (t->size - 1);
	t->used += !t->rows[i].key;
	__atomic_store_n(&t->rows[i].value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&t->rows[i].key, key, __ATOMIC_RELEASE);
}

static void row_remove(struct code_table *t, struct code_row *row)
{
	size_t i = (size_t)(row - t->rows);

	__atomic_store_n(&row->key, REMOVED, __ATOMIC_RELEASE);
	if (t->rows[(i + 1) & (t->size - 1)].key)
		return;
	for (; t->rows[i].key == REMOVED; i = (i - 1) & (t->size - 1)) {
		__atomic_store_n(&t->rows[i].key, NULL, __ATOMIC_RELEASE);
		t->used--;
	}
}

/* Room for two rows; 0: none. */
static int table_grow(void)
{
	size_t size = table ? table->size * 2 : FIRST;
	size_t bytes = sizeof(*table) + size * sizeof(*table->rows);
	struct code_table *t;

	if (table && table->used + 2 <= table->size / 4 * 3)
		return 1;
	t = tau_map(bytes);
	if (!t)
		return 0;
	t->size = size;
	for (size_t i = 0; table && i < table->size; i++)
		if (table->rows[i].key && table->rows[i].key != REMOVED)
			row_add(t, table->rows[i].key, table->rows[i].value);
	__atomic_store_n(&table, t, __ATOMIC_RELEASE);
	return 1;
}

/* weak: NULL, or a reference, that the table has if this is not 0. */
static int rows_add(const object *code, uint64_t value, object *weak)
{
	int added = 0;

	lock();
	if (!row_find(table, code) && table_grow()) {
		row_add(table, code, value);
		if (weak)
			row_add(table, weak, (uintptr_t)code);
		added = 1;
	}
	unlock();
	return added;
}

/* 0: the table does not have the reference. */
static int rows_remove(const object *weak)
{
	struct code_row *of, *row;

	lock();
	of = row_find(table, weak);
	row = of ? row_find(table, (const void *)(uintptr_t)of->value) : NULL;
	if (row)
		row_remove(table, row);
	if (of)
		row_remove(table, of);
	unlock();
	return of != NULL;
}

/* ---- objects of code ---- */

static object *code_freed(object *self, object *const *arguments, intptr_t n)
{
	(void)self;
	if (n > 0 && rows_remove(arguments[0]))
		py.release(arguments[0]);
	py.retain(py.none);
	return py.none;
}

void codes_start(void)
{
	static struct method method = {"freed", code_freed, METHOD_FASTCALL, NULL};

	freed = py.method_new(&method, NULL, NULL);
	if (!freed)
		py.error_clear();
}

/*
 * Nothing of the program runs here: no collection of garbage. gc.get_objects() must not have the
 * reference; it is part of no cycle.
 */
static object *weak_new(object *code)
{
	int collects = py.collect_disable && py.collect_disable();
	object *weak = freed ? py.weak_new(code, freed) : NULL;

	if (weak)
		py.untrack(weak);
	else
		py.error_clear();
	if (collects)
		py.collect_enable();
	return weak;
}

uint64_t code_get(const object *code)
{
	struct code_row *row = row_find(__atomic_load_n(&table, __ATOMIC_ACQUIRE), code);

	return row ? __atomic_load_n(&row->value, __ATOMIC_RELAXED) : 0;
}

void code_set(object *code, uint64_t value)
{
	struct code_row *row = row_find(__atomic_load_n(&table, __ATOMIC_ACQUIRE), code);
	Dl_info file;
	object *weak;

	if (row) {
		__atomic_store_n(&row->value, value, __ATOMIC_RELAXED);
	} else if (dladdr(code, &file)) {
		rows_add(code, value, NULL);
	} else {
		weak = weak_new(code);
		if (weak && !rows_add(code, value, weak))
			py.release(weak);
	}
}
