/* native_check.c: verifies that the chunks of a stream are consistent with each other. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/base/map.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/events/native_walk.h"

enum table { TABLE_REGION, TABLE_EVENT, TABLE_COMM, TABLE_MEMTYPE, TABLES };
static const char *const table_name[TABLES] = { "region", "event", "communicator", "memtype" };

struct check_level {
	int64_t bytes, blocks;
};

struct check {
	struct native_file *file;
	void (*print)(void *to, const char *sentence);
	void *to;
	size_t problems;
	struct map defined[TABLES];
	struct native_blocks blocks;
	size_t chunk;
	uint64_t *open;		/* regions, outermost first */
	size_t open_n, open_cap;
	struct check_level *level; /* by index from level_of */
	size_t level_n, level_cap;
	struct map level_of;	/* memtype -> index */
	uint32_t metrics;	/* defined */
	int played;		/* open and level hold what the chunk before left */
	/* recording is off: open regions are unknown until an ON lists them */
	int off;
	uint64_t tick, lost;
};

static void problem(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void problem(struct check *c, const char *format, ...)
{
	char what[600], sentence[1400];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(sentence, sizeof(sentence), "%s: chunk %zu: %s", c->file->path, c->chunk, what);
	c->problems++;
	c->print(c->to, sentence);
}

/* ---- definitions ---- */

static int table_of(uint32_t kind)
{
	switch (kind) {
	case TAU_DEF_REGION:
	case TAU_DEF_ADDRESS:
	case TAU_DEF_CALL:
		return TABLE_REGION;
	case TAU_DEF_EVENT:
		return TABLE_EVENT;
	case TAU_DEF_COMM:
		return TABLE_COMM;
	case TAU_DEF_MEMTYPE:
		return TABLE_MEMTYPE;
	default:
		return -1;
	}
}

static void need(struct check *c, enum table table, uint64_t id, const char *what)
{
	if (map_get(&c->defined[table], id) == MAP_NONE)
		problem(c, "%s uses %s %llu, which is not defined before", what, table_name[table],
			(unsigned long long)id);
}

/* Metrics are numbered without gaps; one may be defined again. */
static void check_metric(struct check *c, uint64_t id)
{
	if (id > c->metrics || id >= TAU_METRICS)
		problem(c, "metric %llu is defined after only %u others", (unsigned long long)id,
			c->metrics);
	else if (id == c->metrics)
		c->metrics++;
}

/* Reads the fields by their description; ids must be known. Returns 0, or -1 when the fields are cut short. */
static int check_fields(struct check *c, const struct native_kind *kind, struct bytes b)
{
	const char *fields = kind->fields, *name;
	uint64_t n;
	char type;
	int length;

	while ((type = native_field(&fields, &name, &length))) {
		switch (type) {
		case 'f':
		case 'a':
			bytes_u64(&b);
			break;
		case '?':
			if (bytes_left(&b))
				bytes_u64(&b);
			break;
		case 'q':
		case 'w':
			if (bytes_left(&b))
				bytes_varint(&b);
			break;
		case 't':
			if (bytes_left(&b))
				bytes_string(&b);
			break;
		case 's':
		case 'x':
			bytes_string(&b);
			break;
		case 'V':
		case 'R':
			n = bytes_varint(&b);
			for (; n && !b.bad; n--) {
				uint64_t id = bytes_varint(&b);

				if (type == 'R' && !b.bad)
					need(c, TABLE_REGION, id, kind->name);
			}
			break;
		case 'A':
			for (n = bytes_varint(&b); n && !b.bad; n--)
				bytes_zigzag(&b);
			break;
		default:
			n = bytes_varint(&b);
			if (b.bad)
				break;
			if (type == 'r')
				need(c, TABLE_REGION, n, kind->name);
			if (type == 'e')
				need(c, TABLE_EVENT, n, kind->name);
			if (type == 'm' || (type == 'o' && n))
				need(c, TABLE_MEMTYPE, n, kind->name);
			if (type == 'c' && n)
				need(c, TABLE_COMM, n, kind->name);
		}
	}
	return b.bad ? -1 : 0;
}

static void check_definitions(struct check *c, const struct native_columns *columns)
{
	struct native_list l = native_definitions(columns);
	struct native_element d;
	int code;

	while ((code = native_list_next(&l, &d)) > 0) {
		int table = table_of(d.kind);
		struct bytes id = d.fields;

		if (d.kind >= NATIVE_DEFINE_KINDS || !native_define_kind[d.kind].name)
			continue;
		if (check_fields(c, &native_define_kind[d.kind], d.fields))
			problem(c, "a definition of kind %s is cut short",
				native_define_kind[d.kind].name);
		else if (d.kind == TAU_DEF_METRIC)
			check_metric(c, bytes_varint(&id));
		else if (table >= 0)
			map_set(&c->defined[table], bytes_varint(&id), 1);
	}
	if (code < 0)
		problem(c, "the definitions are cut short");
}

/* ---- snapshots ---- */

static struct check_level *level_get(struct check *c, uint64_t type)
{
	uint32_t at = map_get(&c->level_of, type);

	if (at != MAP_NONE)
		return &c->level[at];
	map_set(&c->level_of, type, (uint32_t)c->level_n);
	return array_add(c, level);
}

static void check_stack(struct check *c, struct bytes b)
{
	uint64_t n = bytes_varint(&b), differ = n != c->open_n;
	size_t had = c->open_n;

	c->open_n = 0;
	for (uint64_t i = 0; i < n && !b.bad; i++) {
		uint64_t region = bytes_varint(&b), since = bytes_varint(&b);

		(void)since;
		if (b.bad)
			break;
		need(c, TABLE_REGION, region, "the snapshot");
		differ |= i < had && c->open[i] != region;
		*array_add(c, open) = region;
	}
	if (b.bad)
		problem(c, "the snapshot's stack is cut short");
	else if (differ && c->played && !c->off)
		problem(c,
			"the snapshot has %llu open regions that are not the %zu which the records "
			"before left",
			(unsigned long long)n, had);
}

static void check_memory(struct check *c, struct bytes b)
{
	uint64_t n = bytes_varint(&b);
	struct check_level *had = c->level;
	size_t had_n = c->level_n;

	/* Swap the levels for those of the snapshot, then compare. */
	c->level = mem_alloc((had_n + 1) * sizeof(*had));
	c->level_cap = had_n + 1;
	for (uint64_t i = 0; i < n && !b.bad; i++) {
		uint64_t type = bytes_varint(&b);
		int64_t bytes = bytes_zigzag(&b), blocks = bytes_zigzag(&b);

		if (b.bad)
			break;
		need(c, TABLE_MEMTYPE, type, "the snapshot");
		*level_get(c, type) = (struct check_level){bytes, blocks};
	}
	for (size_t i = 0; i < c->level_n && c->played && !b.bad; i++) {
		if ((i < had_n &&
		     (had[i].bytes != c->level[i].bytes || had[i].blocks != c->level[i].blocks)) ||
		    (i >= had_n && (c->level[i].bytes || c->level[i].blocks))) {
			problem(c, "the snapshot's memory is not what the records before left");
			break;
		}
	}
	if (b.bad)
		problem(c, "the snapshot's memory is cut short");
	free(had);
}

/* Values of all metrics, then how much they changed since each open region was entered. */
static void check_metrics(struct check *c, uint32_t n, struct bytes b)
{
	size_t values = n * (c->open_n + 1);

	while (values && !b.bad) {
		bytes_varint(&b);
		values--;
	}
	if (b.bad || bytes_left(&b))
		problem(c, "the snapshot's metrics do not fit its %zu open regions", c->open_n);
}

/* ---- records ---- */

static void check_memory_record(struct check *c, uint32_t kind, struct bytes b)
{
	uint64_t type = bytes_varint(&b), to = kind == TAU_REC_RETYPE ? bytes_varint(&b) : 0;
	int64_t bytes = (int64_t)bytes_upto(&b, INT64_MAX), sign = kind == TAU_REC_ALLOC ? 1 : -1;
	struct check_level *l = level_get(c, type);

	if (kind == TAU_REC_ALLOC && bytes_left(&b))
		bytes -= (int64_t)bytes_upto(&b, INT64_MAX);
	l->bytes = (int64_t)((uint64_t)l->bytes + (uint64_t)(sign * bytes));
	l->blocks += sign;
	if (kind != TAU_REC_RETYPE)
		return;
	l = level_get(c, to);
	l->bytes = (int64_t)((uint64_t)l->bytes + (uint64_t)bytes);
	l->blocks++;
}

static void check_extended(struct check *c, const struct native_element *r)
{
	struct bytes b = r->fields;
	uint64_t n;

	if (!native_record_kind[r->kind].name)
		return;
	if (check_fields(c, &native_record_kind[r->kind], r->fields)) {
		problem(c, "a record of kind %s is cut short", native_record_kind[r->kind].name);
		return;
	}
	switch (r->kind) {
	case TAU_REC_ALLOC:
	case TAU_REC_FREE:
	case TAU_REC_RETYPE:
		check_memory_record(c, r->kind, b);
		break;
	case TAU_REC_BRIEF:	/* changes nothing */
		break;
	case TAU_REC_UNWIND:
		n = bytes_varint(&b);
		if (n > c->open_n)
			problem(c, "an UNWIND closes %llu of %zu open regions",
				(unsigned long long)n, c->open_n);
		c->open_n -= n < c->open_n ? n : c->open_n;
		break;
	case TAU_REC_THREAD_END:
		c->off = 0;
		c->open_n = 0;
		break;
	case TAU_REC_OFF:
		c->off = 1;
		break;
	case TAU_REC_ON:
		c->off = 0;
		c->open_n = 0;
		for (n = bytes_varint(&b); n; n--)
			*array_add(c, open) = bytes_varint(&b);
		break;
	default:
		break;
	}
}

static void check_records(struct check *c, struct native_walk *w)
{
	struct native_element r;
	int code;

	while ((code = native_walk_next(w, &r)) > 0) {
		if (r.kind == TAU_TOKEN_REGION) {
			need(c, TABLE_REGION, r.region, "an enter");
			*array_add(c, open) = r.region;
		} else if (r.kind) {
			check_extended(c, &r);
		} else if (c->open_n) {
			c->open_n--;
		} else {
			problem(c, "record %zu is a leave with no region open", w->at - 1);
		}
	}
	if (code < 0)
		problem(c, "record %zu is cut short, or later than the chunk", w->at - 1);
	else if (bytes_left(&w->args))
		problem(c, "%zu bytes of arguments belong to no record", bytes_left(&w->args));
}

static void check_chunk(struct check *c, const struct native_columns *columns)
{
	struct native_list snapshot;
	struct native_element section;
	struct native_walk w;
	uint32_t metrics;

	check_definitions(c, columns);
	if (columns->head.first_tick < c->tick)
		problem(c, "it begins before the chunk before it ends");
	c->tick = columns->head.last_tick;
	/* Whole chunks may be among the lost events. */
	c->played = c->played && columns->head.lost == c->lost;
	c->lost = columns->head.lost;
	native_blocks_add(&c->blocks, columns);
	if (native_walk_begin(&w, columns, &c->blocks, &snapshot)) {
		problem(c, "the snapshot is cut short");
		c->played = 0;
		return;
	}
	metrics = columns->head.metrics;
	if (metrics > c->metrics)
		problem(c, "it has %u metrics, of which %u are defined", metrics, c->metrics);
	while (native_list_next(&snapshot, &section) > 0) {
		if (section.kind == TAU_SNAP_STACK)
			check_stack(c, section.fields);
		if (section.kind == TAU_SNAP_MEMORY)
			check_memory(c, section.fields);
		if (section.kind == TAU_SNAP_METRICS) {
			check_metrics(c, metrics, section.fields);
			metrics = 0;
		}
	}
	if (metrics)
		problem(c, "its snapshot has no metrics");
	check_records(c, &w);
	c->played = 1;
}

size_t native_check(struct native_file *f, void (*print)(void *to, const char *sentence), void *to)
{
	struct check c = {.file = f, .print = print, .to = to};
	struct native_columns columns = { 0 };
	struct error e;

	map_set(&c.defined[TABLE_COMM], 0, 1);
	for (c.chunk = 0; c.chunk < f->chunk_n; c.chunk++) {
		if (!native_file_load(f, c.chunk, (1 << TAU_COLUMNS) - 1, &columns, &e)) {
			check_chunk(&c, &columns);
			continue;
		}
		c.problems++;
		print(to, e.text);
		break;
	}
	if (f->damage) {
		c.problems++;
		print(to, f->damage);
	} else if (!f->closed && !f->live_path && f->chunk_n) {
		/* Without any chunk its process was killed before it recorded anything. */
		problem(&c, "the file ends without an index, and there is no live chunk");
	}
	for (int i = 0; i < TABLES; i++)
		map_release(&c.defined[i]);
	map_release(&c.level_of);
	free(c.blocks.v);
	native_columns_release(&columns);
	free(c.open);
	free(c.level);
	return c.problems;
}
