/* events.c: the virtual tables event and call of SQLite. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "db/private.h"
#include "db/events_table.h"

struct events_table {
	sqlite3_vtab base;
	const struct events_module *module;
};

/* A condition on a name. */
struct events_name {
	char letter;
	char *text;
};
enum { EVENTS_NAMES = 8 };

struct events_cursor {
	sqlite3_vtab_cursor base;
	struct events_name name[EVENTS_NAMES];
	int name_n;
	void *rows; /* of the source */
	struct db_event event;
	int at_end;
};

static int fail(sqlite3_vtab *t, const char *text)
{
	sqlite3_free(t->zErrMsg);
	t->zErrMsg = sqlite3_mprintf("%s", text);
	return SQLITE_ERROR;
}

static int table_connect(sqlite3 *h, void *to, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **message)
{
	struct events_table *t;
	int code = sqlite3_declare_vtab(
		h, "CREATE TABLE x(run TEXT, rank INT, thread INT, time REAL, kind TEXT, name "
		   "TEXT, region TEXT, depth INT, callpath TEXT, duration REAL, peer INT, tag INT, "
		   "bytes INT, value REAL)");

	(void)argc;
	(void)argv;
	(void)message;
	if (code != SQLITE_OK)
		return code;
	t = sqlite3_malloc(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct events_table){.module = to};
	*out = &t->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

/*
 * Conditions that texts limit: bytes are compared, and the text is known already. In a join it is
 * another one for each row.
 */
static char name_letter(sqlite3_index_info *info, int i)
{
	const struct sqlite3_index_constraint *c = &info->aConstraint[i];
	sqlite3_value *text;

	if (sqlite3_libversion_number() < 3038000 ||
	    sqlite3_vtab_rhs_value(info, i, &text) != SQLITE_OK)
		return 0;
	if (c->op == SQLITE_INDEX_CONSTRAINT_EQ &&
	    strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0)
		return c->iColumn == DB_EVENT_REGION ? 'n' : 'c';
	if (c->iColumn == DB_EVENT_REGION && c->op == SQLITE_INDEX_CONSTRAINT_GLOB)
		return 'g';
	if (c->iColumn == DB_EVENT_REGION && c->op == SQLITE_INDEX_CONSTRAINT_LIKE)
		return 'l';
	return 0;
}

/* The letter of a condition that bounds what is read; 0: it does not. */
static char bound_of(sqlite3_index_info *info, int i)
{
	int column = info->aConstraint[i].iColumn, op = info->aConstraint[i].op;

	if (column == DB_EVENT_RUN && op == SQLITE_INDEX_CONSTRAINT_EQ)
		return 'p';
	if (column == DB_EVENT_RANK && op == SQLITE_INDEX_CONSTRAINT_EQ)
		return 'r';
	if (column == DB_EVENT_THREAD && op == SQLITE_INDEX_CONSTRAINT_EQ)
		return 't';
	if (column == DB_EVENT_REGION || column == DB_EVENT_CALLPATH)
		return name_letter(info, i);
	if (column != DB_EVENT_TIME)
		return 0;
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return '=';
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
		return '>';
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		return '<';
	default:
		return 0;
	}
}

/* idxStr: a letter for each argument of cursor_filter(); idxNum: columns that are used. */
static int table_index(sqlite3_vtab *t, sqlite3_index_info *info)
{
	char *letters = sqlite3_malloc(info->nConstraint + 1);
	int n = 0;
	double cost = 1e9;
	int later = 0, run = 0; /* the run comes from a table that is visited later; or is known */

	if (!letters)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		char letter = c->iColumn == DB_EVENT_RUN || c->usable ? bound_of(info, i) : 0;

		later |= letter == 'p' && !c->usable;
		if (!letter || !c->usable)
			continue;
		run |= letter == 'p';
		letters[n++] = letter;
		info->aConstraintUsage[i].argvIndex = n;
		cost /= 10;
	}
	letters[n] = 0;
	if (later && !run && ((struct events_table *)t)->module->source->needs_run) {
		sqlite3_free(letters);
		return SQLITE_CONSTRAINT;
	}
	info->idxStr = letters;
	info->needToFreeIdxStr = 1;
	info->idxNum = (int)(info->colUsed & ((1u << DB_EVENT_COLUMNS) - 1));
	info->estimatedCost = cost;
	info->estimatedRows = (sqlite3_int64)cost;
	return SQLITE_OK;
}

static int cursor_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct events_cursor *c = sqlite3_malloc(sizeof(*c));

	(void)t;
	if (!c)
		return SQLITE_NOMEM;
	*c = (struct events_cursor){.at_end = 1};
	*out = &c->base;
	return SQLITE_OK;
}

static const struct events_module *module_of(const struct events_cursor *c)
{
	return ((const struct events_table *)c->base.pVtab)->module;
}

static void cursor_clear(struct events_cursor *c)
{
	if (c->rows)
		module_of(c)->source->close(c->rows);
	c->rows = NULL;
	while (c->name_n)
		sqlite3_free(c->name[--c->name_n].text);
}

static int cursor_close(sqlite3_vtab_cursor *cursor)
{
	struct events_cursor *c = (struct events_cursor *)cursor;

	cursor_clear(c);
	sqlite3_free(c);
	return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *cursor)
{
	struct events_cursor *c = (struct events_cursor *)cursor;
	struct error e = {0};
	int code;

	c->event = (struct db_event){0};
	code = module_of(c)->source->next(c->rows, &c->event, &e);
	if (code < 0)
		return fail(cursor->pVtab, e.text);
	c->at_end = code == 0;
	return SQLITE_OK;
}

/* Microseconds as nanoseconds, one more or less so that rounding excludes nothing. */
static int64_t bound_ns(double us, int64_t more)
{
	double ns = floor(us * 1000);

	return ns <= -9e18 ? INT64_MIN : ns >= 9e18 ? INT64_MAX : (int64_t)ns + more;
}

/* Does the text end with the name? A call path ends with its innermost region. */
static int ends_with(const char *text, const char *name)
{
	size_t n = strlen(text), k = strlen(name);

	return k <= n && strcmp(text + n - k, name) == 0;
}

static int name_fits(const struct events_name *w, const char *name)
{
	switch (w->letter) {
	case 'n':
		return strcmp(w->text, name) == 0;
	case 'g':
		return sqlite3_strglob(w->text, name) == 0;
	case 'l':
		return sqlite3_strlike(w->text, name, 0) == 0;
	default:
		return ends_with(w->text, name);
	}
}

static int region_fits(const void *of, const char *name)
{
	const struct events_cursor *c = of;

	for (int i = 0; i < c->name_n; i++)
		if (!name_fits(&c->name[i], name))
			return 0;
	return 1;
}

/* 0, or a code of SQLite. A condition that has no room is left to SQLite. */
static int bind_name(struct events_cursor *c, char letter, sqlite3_value *v)
{
	char *text;

	if (c->name_n == EVENTS_NAMES)
		return SQLITE_OK;
	text = sqlite3_mprintf("%s", sqlite3_value_text(v));
	if (!text)
		return SQLITE_NOMEM;
	c->name[c->name_n++] = (struct events_name){letter, text};
	return SQLITE_OK;
}

static void bind_bound(struct db_event_filter *f, char letter, sqlite3_value *v)
{
	int64_t begin = bound_ns(sqlite3_value_double(v), -1),
		end = bound_ns(sqlite3_value_double(v), 2);

	if (letter == 'p')
		f->run = (const char *)sqlite3_value_text(v);
	if (letter == 'r')
		f->rank = sqlite3_value_int64(v);
	if (letter == 't')
		f->thread = sqlite3_value_int64(v);
	if ((letter == '>' || letter == '=') && begin > f->begin_ns)
		f->begin_ns = begin;
	if ((letter == '<' || letter == '=') && end < f->end_ns)
		f->end_ns = end;
}

/* A condition with NULL is never true, and one with a text is left to SQLite. */
static int cursor_filter(sqlite3_vtab_cursor *cursor, int used, const char *letters, int argc,
			 sqlite3_value **argv)
{
	struct events_cursor *c = (struct events_cursor *)cursor;
	const struct events_module *m = module_of(c);
	struct db_event_filter f = {.calls = m->calls,
				    .begin_ns = INT64_MIN,
				    .end_ns = INT64_MAX,
				    .rank = -1,
				    .thread = -1,
				    .used = (unsigned)used};
	struct error e = {0};

	cursor_clear(c);
	c->at_end = 1;
	for (int i = 0; i < argc; i++) {
		int text = sqlite3_value_type(argv[i]) == SQLITE_TEXT;
		int type = sqlite3_value_numeric_type(argv[i]);

		if (type == SQLITE_NULL)
			return SQLITE_OK;
		if (strchr("ncgl", letters[i])) {
			if (text && bind_name(c, letters[i], argv[i]) != SQLITE_OK)
				return SQLITE_NOMEM;
			continue;
		}
		if (type == SQLITE_INTEGER || type == SQLITE_FLOAT || letters[i] == 'p')
			bind_bound(&f, letters[i], argv[i]);
	}
	if (c->name_n) {
		f.region = region_fits;
		f.region_of = c;
	}
	if (m->source->open(m->source->to, &f, &c->rows, &e) < 0)
		return fail(cursor->pVtab, e.text);
	return cursor_next(cursor);
}

static int cursor_eof(sqlite3_vtab_cursor *cursor)
{
	return ((struct events_cursor *)cursor)->at_end;
}

static void yield_text(sqlite3_context *x, const char *text)
{
	if (text)
		sqlite3_result_text(x, text, -1, SQLITE_TRANSIENT);
}

static int cursor_column(sqlite3_vtab_cursor *cursor, sqlite3_context *x, int column)
{
	const struct db_event *v = &((struct events_cursor *)cursor)->event;
	const char *const text[DB_EVENT_COLUMNS] = {[DB_EVENT_RUN] = v->run,
						    [DB_EVENT_KIND] = v->kind,
						    [DB_EVENT_NAME] = v->name,
						    [DB_EVENT_REGION] = v->region,
						    [DB_EVENT_CALLPATH] = v->callpath};
	const int64_t number[DB_EVENT_COLUMNS] = {
		[DB_EVENT_RANK] = v->rank,   [DB_EVENT_THREAD] = v->thread,
		[DB_EVENT_DEPTH] = v->depth, [DB_EVENT_PEER] = v->peer,
		[DB_EVENT_TAG] = v->tag,     [DB_EVENT_BYTES] = v->bytes};

	switch (column) {
	case DB_EVENT_RUN:
	case DB_EVENT_KIND:
	case DB_EVENT_NAME:
	case DB_EVENT_REGION:
	case DB_EVENT_CALLPATH:
		yield_text(x, text[column]);
		break;
	case DB_EVENT_TIME:
		sqlite3_result_double(x, (double)v->time_ns / 1000);
		break;
	case DB_EVENT_DURATION:
		if (v->has & 1u << column)
			sqlite3_result_double(x, (double)v->duration_ns / 1000);
		break;
	case DB_EVENT_VALUE:
		if (v->has & 1u << column)
			sqlite3_result_double(x, v->value);
		break;
	default:
		if (column == DB_EVENT_RANK || column == DB_EVENT_THREAD || (v->has & 1u << column))
			sqlite3_result_int64(x, number[column]);
	}
	return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
	*out = ((struct events_cursor *)cursor)->event.row;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = table_connect,
	.xBestIndex = table_index,
	.xDisconnect = table_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

int events_install(struct db *db, struct events_module m[2], const struct db_event_source *source,
		   void (*release)(void *last))
{
	static const char *const name[] = {"event", "call"};
	int code = SQLITE_OK;

	for (int i = 0; code == SQLITE_OK && i < 2; i++) {
		m[i] = (struct events_module){.source = source, .calls = i};
		code = sqlite3_create_module_v2(db->handle, name[i], &module, &m[i],
						i ? release : NULL);
	}
	return code == SQLITE_OK ? 0 : -1;
}
