/* native_write_define.c: the definitions of a stream of our own format (tau-trace(5)), as its records come to need them. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/memory_type.h"
#include "convert/native/write/native_writer.h"
#include "record/metadata.h"

#define IMAGES	    (1 << 16) /* binaries */
#define IMAGE_SHIFT 40 /* each binary has so much room in the addresses that are made for it */

static void define(struct native_writer *w, unsigned kind, struct buffer *fields)
{
	put_varint(&w->defs, kind);
	put_part(&w->defs, fields);
}

/*
 * A reader adds the place to the name of a region whose line is known. So the line is written where
 * the name ends with that, and without it; other names would change.
 */
static void define_region(struct native_writer *w, uint32_t id)
{
	const struct trace_region *r = &w->trace->region[id];
	char *place = mem_printf(" [{%s} {%u,0}]", r->file ? r->file : "", r->line),
	     *name = mem_string(r->name);
	size_t n = strlen(name), m = strlen(place);
	int placed = r->line && n > m && !strcmp(name + n - m, place);
	struct buffer f = {0};

	if (placed)
		name[n - m] = 0;
	put_varint(&f, id);
	put_string(&f, name);
	put_string(&f, r->groups);
	put_string(&f, r->file);
	put_varint(&f, placed ? r->line : 0);
	define(w, TAU_DEF_REGION, &f);
	free(place);
	free(name);
}

static void define_event(struct native_writer *w, uint32_t id)
{
	struct buffer f = {0};

	const struct trace_event *e = &w->trace->event[id];
	uint64_t where[2] = {id + 1, 0};

	put_varint(&f, id);
	put_varint(&f, (e->flags & (EVENT_FLAG_MONOTONIC | EVENT_FLAG_CONTEXT)) |
			       (e->lock ? TAU_EVENT_LOCK : 0) | (e->marks ? TAU_EVENT_NAME : 0));
	put_string(&f, e->lock ? e->lock->kind : e->name);
	if (e->lock) {
		put(&f, where, sizeof(where));
		put_string(&f, e->lock->name);
		put_string(&f, e->lock->place);
	}
	define(w, TAU_DEF_EVENT, &f);
}

/* Communicator 0 is the world, so ours count from 1. */
static void define_comm(struct native_writer *w, uint32_t id)
{
	const struct trace_comm *c = &w->trace->comm[id],
				*other = c->inter ? &w->trace->comm[c->inter - 1] : NULL;
	struct buffer f = {0};

	put_varint(&f, id + 1);
	put_string(&f, c->name);
	put_varint(&f, c->n + (other ? other->n : 0));
	for (size_t i = 0; i < c->n; i++)
		put_varint(&f, c->rank[i]);
	for (size_t i = 0; other && i < other->n; i++)
		put_varint(&f, other->rank[i]);
	if (other || c->number)
		put_varint(&f, other ? c->n : 0);
	if (c->number)
		put_varint(&f, c->number);
	define(w, TAU_DEF_COMM, &f);
}

/* Whence a memtype was allocated, by name: the addresses are those of another trace. */
static void define_site(struct native_writer *w, size_t id, uint32_t type)
{
	const struct trace_memtype *m = &w->trace->memtype[type];
	struct buffer f = {0};

	put_varint(&f, id);
	for (size_t i = 0; i < 8; i++)
		put_varint(&f, 0);
	put_string(&f, trace_memtype_site(w->trace, type));
	put_string(&f, m->file ? m->file : "");
	put_varint(&f, m->line);
	define(w, TAU_DEF_SITE, &f);
}

static const unsigned leak_flags[] = {
	[LEAK_LOST] = TAU_MEM_LOST,
	[LEAK_INDIRECT] = TAU_MEM_LOST | TAU_MEM_REACHABLE,
	[LEAK_REACHABLE] = TAU_MEM_REACHABLE,
};

/* Defines all calls: callers before what they call. */
static void define_calls(struct native_writer *w)
{
	for (size_t i = 0; i < w->trace->call_n; i++) {
		const struct trace_call *c = &w->trace->call[i];
		uint64_t at = c->code == TRACE_NONE ? 0 : native_need_code(w, c->code, 1);
		struct buffer f = {0};

		put_varint(&f, i + 1);
		put_varint(&f, c->caller == TRACE_NONE ? 0 : c->caller + 1);
		put(&f, &at, sizeof(at));
		define(w, TAU_DEF_STACK, &f);
	}
}

static void define_path(struct native_writer *w, size_t id, uint32_t call)
{
	struct buffer f = {0};

	put_varint(&f, id);
	put_varint(&f, call + 1);
	define(w, TAU_DEF_PATH, &f);
}

/* Memtypes with equal names get one number, because readers identify them by their names. */
uint32_t *native_number_memtypes(const struct trace *t)
{
	uint32_t *number = mem_alloc((t->memtype_n + 1) * sizeof(*number));
	struct names known = {0};

	for (size_t i = 0; i < t->memtype_n; i++) {
		const struct trace_memtype *m = &t->memtype[i];
		uint32_t owner = m->owner == TRACE_NONE ? 0 : number[m->owner];
		const char *site = trace_memtype_site(t, (uint32_t)i);
		char *key = mem_printf("%u %u %d %s%s%s", owner, m->call, m->leak, m->name,
				       site ? " @ " : "", site ? site : "");

		number[i] = names_add(&known, key, strlen(key)) + 1;
		free(key);
	}
	names_release(&known);
	return number;
}

static uint64_t memtype_flags(const struct trace_memtype *m)
{
	static const unsigned kinds[MEMORY_KINDS] = {
		[MEMORY_TYPED] = TAU_MEM_CLASS,
		[MEMORY_SLAB] = TAU_MEM_CLASS | TAU_MEM_SLAB,
		[MEMORY_UNTYPED] = TAU_MEM_UNTYPED,
		[MEMORY_MAPPED] = TAU_MEM_CLASS | TAU_MEM_MAPPED,
		[MEMORY_VARIABLE] = TAU_MEM_FAMILY(TAU_FAMILY_VARIABLE),
	};
	static const unsigned families[MEMORY_FAMILIES] = {
		[MEMORY_FAMILY_OPAL] = TAU_MEM_FAMILY(TAU_FAMILY_OPAL),
		[MEMORY_FAMILY_PMIX] = TAU_MEM_FAMILY(TAU_FAMILY_PMIX),
		[MEMORY_FAMILY_CXX] = TAU_MEM_FAMILY(TAU_FAMILY_CXX),
		[MEMORY_FAMILY_PYTHON] = TAU_MEM_FAMILY(TAU_FAMILY_PYTHON),
		[MEMORY_FAMILY_RULE] = TAU_MEM_FAMILY(TAU_FAMILY_RULE),
		[MEMORY_FAMILY_PROGRAM] = TAU_MEM_API,
	};

	return kinds[m->kind] | families[m->family] | leak_flags[m->leak] |
	       (m->site ? TAU_MEM_SITE : 0) | (m->call != TRACE_NONE ? TAU_MEM_STACK : 0) |
	       (m->context ? TAU_MEM_CONTEXT : 0);
}

/* As readers compose it again: without the "[]" of slabs, and the library of untyped memory and of variables. */
static void put_memtype_name(struct buffer *f, const struct trace_memtype *m)
{
	char *name = m->kind == MEMORY_UNTYPED	  ? mem_string("untyped")
		     : m->kind == MEMORY_VARIABLE ? memory_variable_name(m->name)
						  : mem_string(m->name);

	if (m->kind == MEMORY_SLAB)
		name[strlen(name) - 2] = 0;
	put_string(f, name);
	free(name);
}

/* Defines all memtypes: owners before what they own. */
static void define_memtypes(struct native_writer *w)
{
	uint32_t last = 0;

	define_calls(w);
	for (size_t i = 0; i < w->trace->memtype_n; i++) {
		const struct trace_memtype *m = &w->trace->memtype[i];
		uint32_t id = w->memtype[i];
		struct buffer f = {0};

		if (id <= last)
			continue;
		last = id;
		if (m->call != TRACE_NONE)
			define_path(w, id, m->call);
		if (m->site)
			define_site(w, id, (uint32_t)i);
		put_varint(&f, id);
		put_varint(&f, m->owner == TRACE_NONE ? 0 : w->memtype[m->owner]);
		put_varint(&f, memtype_flags(m));
		put_varint(&f, m->object_size);
		put_memtype_name(&f, m);
		put_string(&f, m->library ? m->library : "");
		define(w, TAU_DEF_MEMTYPE, &f);
	}
}

static void define_metrics(struct native_writer *w)
{
	for (uint32_t i = 0; i < w->metrics; i++) {
		const struct trace_metric *m = &w->trace->metric[i];
		struct buffer f = {0};

		put_varint(&f, i);
		put_varint(&f, 0);
		put_string(&f, m->name);
		put_string(&f, m->divide == 1000 ? "ns" : "");
		define(w, TAU_DEF_METRIC, &f);
	}
}

void native_define_stream(struct native_writer *w, uint32_t stream)
{
	const struct trace_stream *s = &w->trace->stream[stream];
	const struct trace_process *p = &w->trace->process[s->process];
	struct buffer f = {0};

	if (p->rank >= 0) {
		put_varint(&f, (uint64_t)p->rank);
		put_varint(&f, p->size > p->rank ? (uint64_t)p->size : (uint64_t)p->rank + 1);
		put_varint(&f, TAU_RANK_MPI);
		define(w, TAU_DEF_RANK, &f);
	}
	for (size_t i = 0; i < p->meta_n; i++) {
		put_string(&f, p->meta[i].name);
		put_string(&f, p->meta[i].value);
		define(w, TAU_DEF_META, &f);
	}
	/* What is left of a run may be fewer processes. */
	if (p->node != p->rank && (w->trace->process_n > 1 || p->node > 0)) {
		char *number = mem_printf("%d", p->node);

		put_string(&f, TAU_META_PROCESS_NUMBER);
		put_string(&f, number);
		define(w, TAU_DEF_META, &f);
		free(number);
	}
	if (s->label || s->values) {
		put_varint(&f, s->thread);
		put_string(&f, s->label ? s->label : "");
		if (s->device || s->values)
			put_varint(&f, s->device ? TAU_THREAD_DEVICE : TAU_THREAD_VALUES);
		define(w, TAU_DEF_THREAD, &f);
	}
	if (s->has_memory)
		define_memtypes(w);
	define_metrics(w);
}

static uint32_t need(struct native_writer *w, int table, uint32_t id,
		     void (*how)(struct native_writer *w, uint32_t id))
{
	if (!w->defined[table][id]) {
		w->defined[table][id] = 1;
		how(w, id);
	}
	return id;
}

uint64_t native_need_comm(struct native_writer *w, uint32_t id)
{
	return id < w->trace->comm_n ? need(w, 2, id, define_comm) + 1 : 0;
}

uint32_t native_need_event(struct native_writer *w, uint32_t id)
{
	return need(w, 1, id, define_event);
}

/* Region ids have no gaps in a file: all up to the one that is used are defined. */
uint32_t native_need_region(struct native_writer *w, uint32_t id)
{
	for (uint32_t i = id + 1; !w->defined[0][id] && i-- > 0 && !w->defined[0][i];)
		need(w, 0, i, define_region);
	return id;
}

/* The binary is defined, as if it had been mapped where its addresses are. */
static uint64_t need_image(struct native_writer *w, const struct trace_address *a)
{
	char *key = mem_printf("%s%c", a->path, 0);
	size_t n = strlen(a->path) + 1;
	uint64_t place[3];
	uint32_t id;

	key = mem_resize(key, n + a->build_id_n, 1);
	if (a->build_id_n)
		memcpy(key + n, a->build_id, a->build_id_n);
	id = names_add(w->image, key, n + a->build_id_n);
	free(key);
	if (id >= IMAGES)
		return 0;
	place[0] = place[2] = (uint64_t)(id + 1) << IMAGE_SHIFT;
	place[1] = place[0] + (UINT64_C(1) << IMAGE_SHIFT);
	if (!w->defined[3])
		w->defined[3] = mem_alloc(IMAGES);
	if (!w->defined[3][id]) {
		struct buffer f = {0};

		w->defined[3][id] = 1;
		put(&f, place, sizeof(place));
		put_string(&f, a->path);
		put_varint(&f, a->build_id_n);
		put(&f, a->build_id, a->build_id_n);
		define(w, TAU_DEF_MODULE, &f);
	}
	return place[0];
}

/* Addresses after all binaries; the odd one of each pair is for a caller. */
static uint64_t named_address(uint32_t id)
{
	return ((uint64_t)(IMAGES + 1) << IMAGE_SHIFT) + 2 * (uint64_t)id;
}

static void put_function(struct buffer *f, const struct trace_code *c)
{
	put_string(f, c->module);
	put_string(f, c->name);
	put_string(f, c->file);
	put_varint(f, c->line);
}

static void define_code(struct native_writer *w, uint64_t at, struct trace_place p)
{
	for (size_t i = 0; i < p.n; i++) {
		struct buffer f = {0};

		put(&f, &at, sizeof(at));
		put_varint(&f, i + 1 < p.n);
		put_function(&f, &p.code[i]);
		define(w, TAU_DEF_CODE, &f);
	}
}

/*
 * Code without an address gets one outside all binaries, and a description by name. Returns 1 if
 * nothing is known of the code.
 */
static uint64_t need_named(struct native_writer *w, uint32_t code, int caller)
{
	struct trace_place p = trace_place(w->trace, code);
	uint32_t id = map_get(&w->named_of, code);

	if (p.n == 1 && !p.code->name && !p.code->file && !strcmp(p.code->module, "UNKNOWN"))
		return 1;
	if (id == MAP_NONE) {
		struct buffer said = {0};
		size_t before = w->named.name_n;

		for (size_t i = 0; i < p.n; i++)
			put_function(&said, &p.code[i]);
		id = names_add(&w->named, (const char *)said.v, said.v_n);
		map_set(&w->named_of, code, id);
		if (w->named.name_n > before)
			define_code(w, named_address(id), p);
		free(said.v);
	}
	return named_address(id) + (uint64_t)caller;
}

/* An address from which a reader finds the same code; 1 is in no binary. */
uint64_t native_need_code(struct native_writer *w, uint32_t code, int caller)
{
	const struct trace_ops *ops = w->trace->ops;
	struct trace_address a;
	uint64_t base;

	if (!ops->code)
		return 1;
	if (!ops->code(w->trace, code, NULL, &a))
		return need_named(w, code, caller);
	if (a.at >> IMAGE_SHIFT)
		return 1;
	base = need_image(w, &a);
	return base ? base + a.at + (uint64_t)caller : 1;
}
