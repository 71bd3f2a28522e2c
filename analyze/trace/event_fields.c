/* event_fields.c: the fields of events as numbers and text, by the rows of event_kinds.h. */
#include "analyze/trace/event_fields.h"

#include <stddef.h>
#include <string.h>

#define AS_FIELD(type, member, name, column) \
	{EVENT_TYPE_##type, EVENT_COLUMN_##column, offsetof(struct event_args, member), name},
#define AS_ROW(kind, title, text, metrics, lost, fields) \
	[EVENT_##kind] = {title, text, lost, {fields {0}}},

const struct event_row event_row[EVENT_KINDS] = {EVENT_ROWS(AS_ROW, AS_FIELD)};

const char *const event_coll_name[COLLS] = {
	"barrier",    "broadcast", "reduce", "all-reduce",     "gather", "all-gather",
	"all-to-all", "scatter",   "scan",   "reduce-scatter", "other",
};
const char *const event_rma_name[RMAS] = {"put", "get", "atomic"};
const char *const event_sync_name[SYNCS] = {
	"post", "wait", "start", "complete", "lock", "shared lock", "unlock",
};
const char *const event_io_name[IO_OPS] = {
	[IO_READ] = "read",	    [IO_WRITE] = "write",   [IO_MPI_READ] = "MPI read",
	[IO_MPI_WRITE] = "MPI write", [IO_OPEN] = "open",     [IO_CLOSE] = "close",
	[IO_STAT] = "stat",	    [IO_ACCESS] = "access", [IO_REMOVE] = "remove",
	[IO_RENAME] = "rename",	    [IO_MKDIR] = "mkdir",   [IO_RMDIR] = "rmdir",
	[IO_LIST] = "list",	    [IO_LOCK] = "lock",	    [IO_UNLOCK] = "unlock",
};
const char *const event_wait_name[EVENT_WAIT_KINDS] = {
	[EVENT_WAIT_ALL] = "all",	  [EVENT_WAIT_ANY] = "any",
	[EVENT_WAIT_RECEIVE] = "receive", [EVENT_WAIT_SEND] = "send",
	[EVENT_WAIT_COLL] = "members",	  [EVENT_WAIT_UNKNOWN] = "request",
};
const char *const event_file_wait_name[EVENT_FILE_WAITS] = {
	[EVENT_FILE_CALL] = "file",
	[EVENT_FILE_READ_LOCK] = "read lock",
	[EVENT_FILE_WRITE_LOCK] = "write lock",
	[EVENT_FILE_READ_LOCK_OPEN] = "read lock of an open file",
	[EVENT_FILE_WRITE_LOCK_OPEN] = "write lock of an open file",
	[EVENT_FILE_SHARED_LOCK] = "shared lock",
	[EVENT_FILE_EXCLUSIVE_LOCK] = "exclusive lock",
};
const char *const event_mark_name[2] = {[MARK_COMMAND] = "mark", [MARK_SNAPSHOT] = "snapshot"};

const struct event_field *event_in_column(uint32_t kind, enum event_column column)
{
	const struct event_field *f = event_row[kind].field;

	while (f->name && f->column != column)
		f++;
	return f->name ? f : NULL;
}

/* The field as it is stored in the arguments. */
static uint64_t bits(const struct event_field *f, const struct event_args *a, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)a + f->at, size);
	return v;
}

int event_field_is_unsigned(const struct event_field *f)
{
	return f->type == EVENT_TYPE_SIZE || f->type == EVENT_TYPE_AMOUNT ||
	       f->type == EVENT_TYPE_INNER;
}

int event_field_is_number(const struct event_field *f)
{
	return f->type < EVENT_TYPE_NUMBER || f->type == EVENT_TYPE_THREAD ||
	       f->type == EVENT_TYPE_REQUEST;
}

int event_field_is_there(const struct event_field *f, const struct event_args *a)
{
	if (f->type == EVENT_TYPE_OFFSET)
		return (int64_t)bits(f, a, 8) >= 0;
	if (f->type == EVENT_TYPE_INNER)
		return bits(f, a, 8) != 0;
	return f->type != EVENT_TYPE_REQUEST || bits(f, a, 4);
}

int64_t event_field_number(const struct event_field *f, const struct event *ev,
			   const struct event_args *a)
{
	if (f->type == EVENT_TYPE_REF)
		return ev->ref;
	return (int64_t)bits(f, a, f->type < EVENT_TYPE_THREAD ? 8 : 4);
}

double event_field_double(const struct event_field *f, const struct event_args *a)
{
	double v;

	memcpy(&v, (const char *)a + f->at, sizeof(v));
	return v;
}

struct event_list event_field_list(const struct event_field *f, const struct event_args *a)
{
	struct event_list l;

	memcpy(&l, (const char *)a + f->at, sizeof(l));
	return l;
}

static const char *path_end(const struct trace *t, struct event_list l, const uint32_t *regions)
{
	return l.n ? t->region[regions[l.first + l.n - 1]].name : "";
}

const char *event_field_text(const struct event_field *f, const struct trace *t,
			     const struct event_args *a, const uint32_t *regions)
{
	uint32_t id = (uint32_t)bits(f, a, f->type < EVENT_TYPE_THREAD ? 0 : 4);

	switch (f->type) {
	case EVENT_TYPE_EVENT:
		return t->event[id].name;
	case EVENT_TYPE_COMM:
		return id < t->comm_n ? t->comm[id].name : "world";
	case EVENT_TYPE_MEMTYPE:
		return t->memtype[id].name;
	case EVENT_TYPE_COLL_OP:
		return event_coll_name[id];
	case EVENT_TYPE_RMA_OP:
		return event_rma_name[id];
	case EVENT_TYPE_SYNC_OP:
		return event_sync_name[id];
	case EVENT_TYPE_IO_OP:
		return event_io_name[id];
	case EVENT_TYPE_MARK_KIND:
		return event_mark_name[id];
	case EVENT_TYPE_WAIT_KIND:
		return event_wait_name[id];
	case EVENT_TYPE_FILE_WAIT:
		return event_file_wait_name[id];
	case EVENT_TYPE_PATH:
		return path_end(t, event_field_list(f, a), regions);
	default:
		return NULL;
	}
}
