/* native_address.c: regions that are known by an address in the code: functions with compiler
 * hooks, and regions at a place. */
#include <stdlib.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/timer_name.h"
#include "convert/native/define/native_address.h"
#include "analyze/trace/trace.h"
#include "convert/native/define/native_lock.h"
#include "convert/native/define/native_module.h"
#include "convert/native/native_run.h"
#include "convert/native/define/native_site.h"
#include "convert/code/stored_names.h"
#include "convert/code/symbols.h"
#include "convert/io/paths.h"
#include "convert/native/file/names_file.h"

/* A region known by its address. */
struct native_address {
	struct native_stream *stream;
	uint32_t id; /* in the file */
	struct native_where at;
	char *name, *groups; /* of a region at this place; NULL: it is the function there */
	int call;	     /* the calls from this place of: */
	uint32_t called;     /* this region of the file, which has a smaller id; TRACE_NONE: */
	struct native_where function;
};

void native_ids_set(struct native_ids *m, uint64_t id, uint32_t value)
{
	if (id >= NATIVE_IDS_NEAR) {
		if (value != TRACE_NONE)
			map_set(&m->far, id, value);
		return;
	}
	if (id >= m->v_cap) {
		m->v_cap = 2 * (size_t)id + 16;
		m->v = mem_resize(m->v, m->v_cap, sizeof(*m->v));
	}
	if (id >= m->v_n) {
		memset(m->v + m->v_n, 0xff, (id + 1 - m->v_n) * sizeof(*m->v));
		m->v_n = (size_t)id + 1;
	}
	m->v[id] = value;
}

/* Regions of one name are one region: that is what a profile shows. The first groups hold. */
uint32_t native_region_add(struct trace *t, struct native_run *run, const char *name,
			   const char *groups, const char *file, uint32_t line)
{
	uint32_t id = names_add(&run->region, name, strlen(name));

	if (id == t->region_n) {
		struct trace_region *r = array_add(t, region);

		r->name = mem_string(name);
		r->groups = mem_string(groups);
		r->file = file && *file ? mem_string(file) : NULL;
		r->line = line;
	}
	return id;
}

static struct native_address *address_add(struct native_run *run, struct native_stream *s,
					  uint64_t id, uint64_t address)
{
	struct native_address *a = array_add(run, address);

	*a = (struct native_address){
		.stream = s,
		.id = (uint32_t)id,
		.at = native_where(s, address),
		.called = TRACE_NONE,
	};
	native_ids_set(&s->region, id, TRACE_NONE);
	return a;
}

void native_address_add(struct native_run *run, struct native_stream *s, uint64_t id,
			uint64_t address, char *name, char *groups)
{
	struct native_address *a = address_add(run, s, id, address);

	a->name = name;
	a->groups = groups;
}

void native_call_add(struct native_run *run, struct native_stream *s, uint64_t id, uint64_t called,
		     uint64_t site, uint64_t function)
{
	struct native_address *a = address_add(run, s, id, site - 1);

	a->call = 1;
	if (called)
		a->called = (uint32_t)(called - 1);
	else
		a->function = native_where(s, function);
}

static void function_name(struct trace *t, struct native_run *run, const struct native_address *a,
			  int look)
{
	struct symbol s = {.name = "function"};

	if (look)
		s = symbols_get(run->symbols, a->at.path, a->at.build_id, a->at.build_id_n,
				a->at.bias, a->at.bias + a->at.at);
	native_ids_set(&a->stream->region, a->id,
		       native_region_add(t, run, s.name, "TAU_USER", s.file, s.line));
}

/* The length of a function's name without what gcc appends to the parts of functions that it moves
 * ("main._omp_fn.0", in C++ "solve(int) [clone ._omp_fn.0]"). */
static int moved_name(const char *name)
{
	static const char clone[] = " [clone ";
	const char *part = strstr(name, "._omp_fn.");
	size_t n = part ? (size_t)(part - name) : strlen(name), m = sizeof(clone) - 1;

	if (part && n > m && !memcmp(part - m, clone, m))
		n -= m;
	return (int)n;
}

/*
 * "omp barrier: main [{main.c} {7,0}]"; without debug information "omp barrier: main at 0x1298 of
 * prog", as the function may contain several.
 */
static char *place_text(struct symbols *symbols, const struct native_address *a, struct symbol *to)
{
	const struct native_where *of = &a->at;
	unsigned long long at = of->at;
	const char *module = native_where_module(of);
	struct trace_place p;
	const struct trace_code *c;

	if (!of->path)
		return mem_printf("%s at %#llx", a->name, at);
	p = symbols_place(symbols, of->path, of->build_id, of->build_id_n, at);
	c = &p.code[0];
	if (!c->name)
		return mem_printf("%s at %#llx of %s", a->name, at, module);
	if (!c->file || !c->line)
		return mem_printf("%s: %.*s at %#llx of %s", a->name, moved_name(c->name), c->name,
				  at, module);
	to->file = c->file;
	to->line = c->line;
	return mem_printf("%s: %.*s [{%s} {%u,0}]", a->name, moved_name(c->name), c->name, c->file,
			  c->line);
}

/* A region at a place in the code. */
static void region_at_name(struct trace *t, struct native_run *run, const struct native_address *a,
			   int look)
{
	struct symbol s = {0};
	char *text = look ? place_text(run->symbols, a, &s) : mem_string(a->name);

	native_ids_set(&a->stream->region, a->id,
		       native_region_add(t, run, text, a->groups, s.file, s.line));
	free(text);
}

/*
 * Where a call is: "bar [{bar.c} {12}]"; without debug information "bar at 0x1298 of prog". A function that was inlined is
 * called at its own code: then the function that it was inlined into makes the call.
 */
static char *site_text(struct symbols *symbols, const struct native_where *a, const char *called,
		       struct symbol *to)
{
	unsigned long long at = a->at;
	const struct trace_code *c;
	struct trace_place p;

	if (!a->path)
		return mem_printf("%#llx", at);
	p = symbols_place(symbols, a->path, a->build_id, a->build_id_n, at);
	c = &p.code[0];
	if (p.n > 1 && c->name && !strcmp(c->name, called))
		c++;
	if (!c->name)
		return mem_printf("%#llx of %s", at, native_where_module(a));
	if (!c->file || !c->line)
		return mem_printf("%s at %#llx of %s", c->name, at, native_where_module(a));
	to->file = c->file;
	to->line = c->line;
	return mem_printf("%s [{%s} {%u}]", c->name, c->file, c->line);
}

/* The calls of a region, or of a function, from one place: "foo [CALLSITE] [@] bar [{bar.c} {12}]". */
static void call_name(struct trace *t, struct native_run *run, const struct native_address *a,
		      int look)
{
	uint32_t region = native_id(&a->stream->region, a->called);
	const struct native_where *f = &a->function;
	struct symbol s = {.name = "function"}, place = {0};
	const char *groups = "TAU_USER";
	char *called, *site, *name, *all;

	if (region != TRACE_NONE) {
		s.name = t->region[region].name;
		groups = t->region[region].groups;
	} else if (look) {
		s = symbols_get(run->symbols, f->path, f->build_id, f->build_id_n, f->bias,
				f->bias + f->at);
	}
	called = mem_printf("%.*s", (int)name_short(s.name), s.name);
	site = look ? site_text(run->symbols, &a->at, called, &place) : mem_string("");
	name = mem_printf("%s" REGION_CALL_SITE "%s", called, site);
	all = mem_printf("%s|TAU_CALLSITE", groups);
	native_ids_set(&a->stream->region, a->id,
		       native_region_add(t, run, name, all, place.file, place.line));
	free(all);
	free(name);
	free(site);
	free(called);
}

/* Names that are stored with the run are used where its binaries have changed, and that is noted. */
static void names_use(struct trace *t, struct native_run *run)
{
	char *damage, *changed = NULL;

	run->names = names_file_read(t->path, path_is_directory(t->path), &damage);
	if (run->names && stored_names_compare(run->names))
		changed = stored_names_sentence(run->names);
	if (changed)
		trace_note(t, (struct note){.kind = NOTE_SYMBOLS}, "%s", changed);
	if (damage)
		trace_note(t, (struct note){.kind = NOTE_SYMBOLS}, "%s", damage);
	free(changed);
	free(damage);
	symbols_use_stored(run->symbols, run->names);
}

void native_define_addresses(struct trace *t, struct native_run *run, int64_t begin)
{
	struct symbols *symbols = run->symbols = symbols_new_kept(run->kept);
	int look = run->look || run->limit_n;

	symbols_recorded(symbols, begin);
	if (run->own_debug)
		symbols_own_debug(symbols);
	if (look)
		names_use(t, run);
	for (size_t i = 0; i < run->address_n; i++) {
		struct native_address *a = &run->address[i];

		if (a->call)
			call_name(t, run, a, look);
		else if (a->name)
			region_at_name(t, run, a, look);
		else
			function_name(t, run, a, look);
		native_where_release(&a->at);
		native_where_release(&a->function);
		free(a->name);
		free(a->groups);
	}
	native_site_name(t, run, look);
	native_lock_name(t, run, look);
	for (size_t i = 0; i < symbols_note_n(symbols); i++)
		trace_note(t, (struct note){.kind = NOTE_SYMBOLS}, "%s", symbols_note(symbols, i));
	free(run->address);
	run->address = NULL;
	run->address_n = run->address_cap = 0;
}
