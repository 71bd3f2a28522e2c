/* native_define.c: reads definitions and merges those of all files into the trace's tables. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/memory_type.h"
#include "analyze/trace/trace.h"
#include "convert/io/bytes.h"
#include "convert/native/define/native_address.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/define/native_code.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/define/native_comm.h"
#include "convert/native/define/native_define.h"
#include "convert/native/file/native_load.h"
#include "convert/native/define/native_lock.h"
#include "convert/native/define/native_module.h"
#include "convert/native/file/native_out.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/define/native_rename.h"
#include "convert/native/native_run.h"
#include "convert/native/define/native_site.h"
#include "convert/code/demangle.h"
#include "record/metadata.h"

#define ID_LIMIT ((1u << 28) - 1)	/* ids of one kind in one file; a larger one is damage */
#define MODULES_COMPARED 4096 /* of one stream, by their addresses */

/* A region that a stream records no more; it is named when all names are known. */
struct native_limit {
	struct native_stream *stream;
	uint64_t id, why, calls;
};

struct definer {
	struct trace *trace;
	struct native_run *run;
	struct native_stream *stream;
	uint32_t process;
	int user_rank;		/* the rank so far came from the user */
	size_t chunk;
	struct bytes site_name;	/* string, string, varint after address 0 */
	uint64_t site_of, site; /* the memtype that is defined next was allocated there; 0: none */
	uint64_t path_of;	/* by these calls, 0: none */
	uint32_t path;
	struct buffer code;	/* definitions CODE of what is inlined into the next */
	struct map comm_id;	/* of communicators of the trace, in this file */
};

static char *string_copy(struct trace *t, struct bytes b)
{
	char *s = bytes_text(b);

	trace_text(t, s, bytes_left(&b));
	return s;
}

/*
 * "ONE | TWO", which programs may write, is two groups and is stored as ONE|TWO: shorter, never
 * longer.
 */
static void groups_join(char *groups)
{
	char *to = groups;

	for (const char *from = groups; *from; from++) {
		if (*from != '|' && *from != ' ')
			*to++ = *from;
		else if (to > groups && to[-1] != '|')
			*to++ = '|';
	}
	if (to > groups && to[-1] == '|')
		to--;
	*to = 0;
}

/* A chunk has no region that only later chunks define. */
static void region_defined(struct definer *d, uint64_t id)
{
	*array_add(d->stream, region_at) = (struct native_region_at){(uint32_t)id, d->chunk};
}

static void define_region(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT);
	const unsigned char *from = b->p;
	struct bytes name = bytes_string(b), groups = bytes_string(b), file = bytes_string(b);
	uint32_t line = (uint32_t)bytes_upto(b, UINT32_MAX);
	const size_t size = (size_t)(b->p - from);
	uint64_t place = bytes_left(b) ? bytes_u64(b) : 0;
	char *n, *g, *f;
	uint32_t as;

	if (b->bad)
		return;
	region_defined(d, id);
	/* Processes of a job write most regions alike: texts are made once. */
	as = place ? 0 : names_add(&d->run->region_fields, (const char *)from, size);
	if (!place && as < d->run->region_of_n) {
		native_ids_set(&d->stream->region, id, d->run->region_of[as]);
		return;
	}
	n = string_copy(d->trace, name);
	/* A kernel of CUDA. */
	if (!strncmp(n, "_Z", 2) && (f = demangle(n))) {
		free(n);
		n = f;
	}
	g = string_copy(d->trace, groups);
	groups_join(g);
	if (place) {
		native_address_add(d->run, d->stream, id, place, n, g);
		return;
	}
	f = string_copy(d->trace, file);
	if (*f && line) {
		char *full = mem_printf("%s [{%s} {%u,0}]", n, f, line);

		free(n);
		n = full;
	}
	as = native_region_add(d->trace, d->run, n, g, f, line);
	*array_add(d->run, region_of) = as;
	native_ids_set(&d->stream->region, id, as);
	free(n);
	free(g);
	free(f);
}

static void define_module(struct definer *d, struct bytes *b)
{
	struct native_module m = {.begin = bytes_u64(b), .end = bytes_u64(b), .bias = bytes_u64(b)};
	struct bytes path = bytes_string(b), id = bytes_string(b);
	struct native_stream *s = d->stream;

	if (b->bad)
		return;
	m.path = bytes_text(path);
	m.build_id = (unsigned char *)bytes_text(id);
	m.build_id_n = bytes_left(&id);
	m.chunk = d->chunk;
	m.text = 1 + names_add(&d->run->memtype_text, m.path, strlen(m.path));
	m.build = 1 + names_add(&d->run->memtype_text, (const char *)m.build_id, m.build_id_n);
	/* Too many to be compared: they may. */
	s->overlap |= s->module_n >= MODULES_COMPARED;
	for (size_t i = 0; i < s->module_n && !s->overlap; i++)
		s->overlap = m.begin < s->module[i].end && s->module[i].begin < m.end;
	*array_add(s, module) = m;
}

static void define_address(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), address = bytes_u64(b);

	if (b->bad)
		return;
	region_defined(d, id);
	native_address_add(d->run, d->stream, id, address, NULL, NULL);
}

/* The calls of a function, or of an earlier region, from one place. */
static void define_call(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), called = bytes_upto(b, ID_LIMIT + 1),
		 site = bytes_u64(b), function = bytes_u64(b);

	if (b->bad)
		return;
	region_defined(d, id);
	native_call_add(d->run, d->stream, id, called, site, function);
}

/* Functions inlined into each other are one definition after the other. */
static void define_code(struct definer *d, struct bytes *b)
{
	uint64_t address = bytes_u64(b), inlined = bytes_upto(b, 1);
	const unsigned char *from = b->p;

	for (int i = 0; i < 3; i++)
		bytes_string(b);
	bytes_upto(b, UINT32_MAX);
	if (b->bad)
		return;
	put(&d->code, from, (size_t)(b->p - from));
	if (inlined)
		return;
	native_code_name(d->trace, d->stream, address, d->code.v, d->code.v_n);
	d->code.v_n = 0;
}

static void define_site(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), address = bytes_u64(b);

	d->site_of = b->bad ? 0 : id;
	d->site = address;
	d->site_name = *b;
}

/* The same code called by the same calls is one call of the trace. */
static uint32_t call_add(struct definer *d, uint32_t caller, uint32_t code)
{
	uint64_t key = (uint64_t)caller << 32 | code;
	uint32_t call = map_get(&d->run->call_index, key);

	if (call == MAP_NONE) {
		call = (uint32_t)d->trace->call_n;
		*array_add(d->trace, call) = (struct trace_call){code, caller};
		map_set(&d->run->call_index, key, call);
	}
	return call;
}

/* A caller is defined before what it calls, so stacks cannot be circular. */
static void define_stack(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), caller = bytes_upto(b, ID_LIMIT),
		 address = bytes_u64(b);
	uint32_t code = TRACE_NONE;

	if (b->bad)
		return;
	if (address)
		code = native_code(d->trace, d->stream, address, d->chunk);
	native_ids_set(&d->stream->call, id,
		call_add(d, caller ? native_id(&d->stream->call, caller) : TRACE_NONE, code));
}

static void define_path(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), stack = bytes_upto(b, ID_LIMIT);

	d->path_of = b->bad ? 0 : id;
	d->path = native_id(&d->stream->call, stack);
}

static void define_lock(struct definer *d, uint64_t id, char *kind, struct bytes *b)
{
	struct native_lock_said l = {.kind = kind, .address = bytes_u64(b)};

	l.place = bytes_u64(b);
	if (bytes_left(b)) {
		l.name = string_copy(d->trace, bytes_string(b));
		l.first = string_copy(d->trace, bytes_string(b));
	}
	native_ids_set(&d->stream->event, id, native_lock_event(d->trace, d->run, d->stream, &l));
}

static uint32_t event_named(struct definer *d, unsigned flags, const char *name)
{
	char *key = mem_printf("%u %s", flags, name);
	uint32_t event = names_add(&d->run->event, key, strlen(key));

	free(key);
	if (event == d->trace->event_n) {
		struct trace_event *t = array_add(d->trace, event);

		t->name = mem_string(name);
		t->flags = flags;
	}
	return event;
}

static void define_rename(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), number = bytes_varint(b);
	struct bytes name = bytes_string(b);
	uint32_t event = native_id(&d->stream->event, id);
	char *n;

	if (b->bad || event == TRACE_NONE || d->trace->event[event].flags > 3)
		return;
	n = string_copy(d->trace, name);
	*array_add(d->run, rename) = (struct native_rename){
		d->stream, id, number, event_named(d, d->trace->event[event].flags, n)};
	free(n);
}

static void define_event(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT), flags = bytes_varint(b);
	struct bytes name = bytes_string(b);
	uint32_t event;
	char *n;

	if (b->bad)
		return;
	n = string_copy(d->trace, name);
	if (flags & TAU_EVENT_LOCK && bytes_left(b) >= 16) {
		define_lock(d, id, n, b);
		return;
	}
	event = event_named(d, (unsigned)(flags & 3), n);
	d->trace->event[event].marks |= (flags & TAU_EVENT_NAME) != 0;
	native_ids_set(&d->stream->event, id, event);
	free(n);
}

static void define_comm(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, ID_LIMIT);
	struct bytes name = bytes_string(b);
	uint64_t n = bytes_varint(b), first = 0, number = 0;
	uint32_t *rank;
	char *text;

	/* A rank takes at least one byte. */
	if (b->bad || n > bytes_left(b)) {
		b->bad = 1;
		return;
	}
	rank = mem_alloc((n + 1) * sizeof(*rank));
	for (uint64_t i = 0; i < n; i++)
		rank[i] = (uint32_t)bytes_varint(b);
	if (bytes_left(b))
		first = bytes_varint(b);
	if (bytes_left(b))
		number = bytes_varint(b);
	text = string_copy(d->trace, name);
	native_ids_set(&d->stream->comm, id,
		native_comm_add(d->trace, d->run, &d->comm_id, id, text, rank, n,
				first < n && !b->bad ? first : 0, b->bad ? 0 : number));
	free(text);
	free(rank);
}

/* A site by name, in a trace that was made from another. */
static void memtype_place(struct trace *t, struct trace_memtype *m, const char *site,
			  struct bytes *rest)
{
	char *file = string_copy(t, bytes_string(rest));
	uint64_t line = bytes_upto(rest, UINT32_MAX);

	m->site = mem_string(site);
	if (!rest->bad && *file && line) {
		m->file = mem_string(file);
		m->line = (uint32_t)line;
	}
	free(file);
}

static void define_memtype(struct definer *d, struct bytes *b)
{
	struct native_memtype_fields f = native_memtype_read(b, ID_LIMIT);
	int sited = d->site_of && d->site_of == f.id;
	uint64_t site = sited ? d->site : 0;
	char *place = NULL;
	uint32_t call = d->path_of && d->path_of == f.id ? d->path : TRACE_NONE, owner, type, shown;
	const struct native_module *module = NULL;
	struct native_module unloaded = {0};

	d->site_of = d->path_of = 0;
	if (b->bad)
		return;
	/* An owner is defined before what it owns, so chains of owners cannot be circular. */
	owner = f.owner ? native_id(&d->stream->memtype, f.owner) : TRACE_NONE;
	if (sited && !site)
		place = string_copy(d->trace, bytes_string(&d->site_name));
	if (site)
		module = native_memtype_module(d->stream, &f, site, &d->site_name, &unloaded);
	shown = native_memtype_shown(d->trace, d->run, &f);
	type = native_memtype_id(d->run, module, shown, owner, f.flags, site, place, call);
	if (type == d->trace->memtype_n) {
		native_memtype_add(d->trace, d->run, &f, shown, owner, call);
		if (site)
			native_site_add(d->run, module, type, site);
		else if (place)
			memtype_place(d->trace, &d->trace->memtype[type], place, &d->site_name);
	}
	native_ids_set(&d->stream->memtype, f.id, type);
	d->stream->has_memory = 1;
	native_module_release(&unloaded);
	free(place);
}

static void define_block(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, TAU_BLOCK_MAX), memtype = bytes_upto(b, ID_LIMIT),
		 bytes = bytes_upto(b, INT64_MAX / 2);
	struct native_stream *s = d->stream;

	if (b->bad)
		return;
	while (s->block_n <= id)
		array_add(s, block)->type = TRACE_NONE;
	s->block[id] = (struct native_block){native_id(&s->memtype, memtype), bytes};
}

/* The metadata of that name of the process, which is added if there is none; takes the name. */
static struct trace_attribute *meta_get(struct definer *d, char *name)
{
	struct trace_process *p = &d->trace->process[d->process];
	char *key = mem_printf("%u %s", d->process, name);
	uint32_t id = names_add(&d->run->meta, key, strlen(key));
	struct trace_attribute *a;

	free(key);
	if (id < d->run->meta_at_n) {
		free(name);
		return &p->meta[d->run->meta_at[id]];
	}
	*array_add(d->run, meta_at) = (uint32_t)p->meta_n;
	a = array_add(p, meta);
	a->name = name;
	return a;
}

static void define_meta(struct definer *d, struct bytes *b)
{
	struct bytes name = bytes_string(b), value = bytes_string(b);
	struct trace_process *p = &d->trace->process[d->process];
	struct trace_attribute *a;
	char *n;

	if (b->bad)
		return;
	n = string_copy(d->trace, name);
	if (native_thread_name(d->run, d->process, n, value)) {
		free(n);
		return;
	}
	if (!strcmp(n, TAU_META_PROCESS_NUMBER)) {
		free(n);
		n = bytes_text(value);
		p->number = trace_process_number(n);
		free(n);
		return;
	}
	a = meta_get(d, n);
	free(a->value);
	a->value = bytes_text(value);
	if (!strcmp(a->name, TAU_META_HOSTNAME)) {
		free(p->host);
		p->host = mem_string(a->value);
	}
}

static void define_rank(struct definer *d, struct bytes *b)
{
	uint64_t rank = bytes_upto(b, INT32_MAX - 1), size = bytes_upto(b, INT32_MAX),
		 source = bytes_varint(b);
	struct trace_process *p = &d->trace->process[d->process];

	if (b->bad || (source == TAU_RANK_USER && p->rank >= 0 && !d->user_rank))
		return;
	p->rank = (int64_t)rank;
	p->size = (int64_t)size;
	d->user_rank = source == TAU_RANK_USER;
}

static void define_thread(struct definer *d, struct bytes *b)
{
	struct bytes name;
	uint64_t kind;

	bytes_varint(b);
	name = bytes_string(b);
	if (b->bad)
		return;
	free(d->stream->label);
	d->stream->label = bytes_left(&name) ? string_copy(d->trace, name) : NULL;
	kind = bytes_left(b) ? bytes_varint(b) : 0;
	d->stream->device = kind == TAU_THREAD_DEVICE;
	d->stream->values = kind == TAU_THREAD_VALUES;
}

static void define_metric(struct definer *d, struct bytes *b)
{
	uint64_t id = bytes_upto(b, TAU_METRICS - 1);
	struct bytes name, unit;
	uint32_t metric;
	char *n;

	bytes_varint(b);
	name = bytes_string(b);
	unit = bytes_string(b);
	if (b->bad)
		return;
	/* TIME is what every profile has already. */
	n = bytes_left(&name) == 4 && !memcmp(name.p, "TIME", 4) ? mem_string("TIME (recorded)")
								 : string_copy(d->trace, name);
	metric = names_add(&d->run->metric, n, strlen(n));
	if (metric == d->trace->metric_n) {
		struct trace_metric *t = array_add(d->trace, metric);

		t->name = mem_string(n);
		t->divide = bytes_left(&unit) == 2 && !memcmp(unit.p, "ns", 2) ? 1000 : 1;
	}
	native_ids_set(&d->stream->metric, id, metric);
	free(n);
}

static void define_limit(struct definer *d, struct bytes *b)
{
	struct native_limit l = {.stream = d->stream,
				 .id = bytes_varint(b),
				 .why = bytes_varint(b),
				 .calls = bytes_varint(b)};

	if (!b->bad)
		*array_add(d->run, limit) = l;
}

/* Metadata of the process: "TAU Throttled: NAME", "TAU Dropped: NAME" or "TAU Folded: NAME", with the calls before that. */
void native_limits_name(struct trace *t, struct native_run *run)
{
	for (size_t i = 0; i < run->limit_n; i++) {
		const struct native_limit *l = &run->limit[i];
		uint32_t region = native_id(&l->stream->region, l->id);
		struct trace_process *p = &t->process[l->stream->process];
		struct trace_attribute *a;

		if (region == TRACE_NONE)
			continue;
		a = array_add(p, meta);
		a->name = mem_printf("%s%s",
				     l->why == TAU_LIMIT_THROTTLE ? TAU_META_THROTTLED
				     : l->why == TAU_LIMIT_FOLD   ? TAU_META_FOLDED
								  : TAU_META_DROPPED,
				     t->region[region].name);
		a->value = mem_printf("after %llu calls of thread %u", (unsigned long long)l->calls,
				      l->stream->file->head.thread);
	}
	free(run->limit);
	run->limit = NULL;
	run->limit_n = run->limit_cap = 0;
}

static int define_all(struct definer *d, const struct native_columns *c)
{
	static void (*const define[])(struct definer *, struct bytes *) = {
		[TAU_DEF_REGION] = define_region, [TAU_DEF_ADDRESS] = define_address,
		[TAU_DEF_MODULE] = define_module, [TAU_DEF_EVENT] = define_event,
		[TAU_DEF_META] = define_meta,     [TAU_DEF_RANK] = define_rank,
		[TAU_DEF_COMM] = define_comm,     [TAU_DEF_MEMTYPE] = define_memtype,
		[TAU_DEF_THREAD] = define_thread, [TAU_DEF_METRIC] = define_metric,
		[TAU_DEF_LIMIT] = define_limit,   [TAU_DEF_SITE] = define_site,
		[TAU_DEF_BLOCK] = define_block,   [TAU_DEF_STACK] = define_stack,
		[TAU_DEF_PATH] = define_path,     [TAU_DEF_CODE] = define_code,
		[TAU_DEF_CALL] = define_call,     [TAU_DEF_RENAME] = define_rename,
	};
	struct bytes b = bytes_of(c->data[TAU_DEFS], c->length[TAU_DEFS]);

	while (bytes_left(&b)) {
		uint64_t kind = bytes_varint(&b);
		struct bytes fields = bytes_string(&b);

		if (b.bad)
			return -1;
		if (kind < sizeof(define) / sizeof(*define) && define[kind])
			define[kind](d, &fields);
		if (fields.bad)
			return -1;
	}
	return 0;
}

int native_define(struct trace *t, struct native_run *run, struct native_stream *s,
		  uint32_t process, struct error *e)
{
	struct definer d = { .trace = t, .run = run, .stream = s, .process = process };
	struct native_file *f = s->file;
	struct native_columns c = { 0 };
	struct error why;
	int code = 0;

	for (size_t k = 0; (k = native_file_defined(f, k)) < f->chunk_n && !code; k++) {
		d.chunk = k;
		d.code.v_n = 0;
		code = native_file_load(f, k, 1 << TAU_DEFS, &c, &why);
		if (code == ERROR_INPUT) {
			native_file_damage(f, k, why.text);
			code = 0;
		} else if (code) {
			*e = why;
		} else if (!code && define_all(&d, &c) && !native_file_chunk(f, k)->live) {
			error_set(&why, ERROR_INPUT,
				  "%s: offset %llu: a definition of chunk %zu is damaged", f->path,
				  (unsigned long long)native_file_chunk(f, k)->offset, k);
			native_file_damage(f, k, why.text);
		}
	}
	native_columns_release(&c);
	map_release(&d.comm_id);
	free(d.code.v);
	return code;
}

