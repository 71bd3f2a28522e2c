/* native_address.c: regions that are known by an address in the code: functions with compiler
 * hooks, and regions at a place. */
#include <stdlib.h>
#include <string.h>

#include "convert/native/native.h"
#include "convert/code/symbols.h"

/* A region known by its address; the module is a copy because the process may unload it later. */
struct native_address {
	struct native_stream *stream;
	uint32_t id; /* in the file */
	uint64_t address, bias;
	char *path; /* NULL: in no module */
	unsigned char *build_id;
	size_t build_id_n;
	char *name, *groups; /* of a region at this place; NULL: it is the function there */
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

void native_address_add(struct native_run *run, struct native_stream *s, uint64_t id,
			uint64_t address, char *name, char *groups)
{
	struct native_address *a = array_add(run, address);

	a->stream = s;
	a->id = (uint32_t)id;
	a->address = address;
	a->name = name;
	a->groups = groups;
	for (size_t i = s->module_n; i-- > 0;) {
		const struct native_module *m = &s->module[i];

		if (address < m->begin || address >= m->end)
			continue;
		a->path = mem_string(m->path);
		a->bias = m->bias;
		a->build_id_n = m->build_id_n;
		a->build_id = memcpy(mem_alloc(m->build_id_n), m->build_id, m->build_id_n);
		break;
	}
	native_ids_set(&s->region, id, TRACE_NONE);
}

static void function_name(struct trace *t, struct native_run *run, const struct native_address *a,
			  int look)
{
	struct symbol s = {.name = "function"};

	if (look)
		s = symbols_get(run->symbols, a->path, a->build_id, a->build_id_n, a->bias,
				a->address);
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
	unsigned long long at = a->address - a->bias;
	const char *module = a->path && strrchr(a->path, '/') ? strrchr(a->path, '/') + 1 : a->path;
	struct trace_place p;
	const struct trace_code *c;

	if (!a->path)
		return mem_printf("%s at %#llx", a->name, at);
	p = symbols_place(symbols, a->path, a->build_id, a->build_id_n, at);
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

void native_define_addresses(struct trace *t, struct native_run *run)
{
	struct symbols *symbols = run->symbols = symbols_new();
	int look = !run->bare || run->limit_n;

	for (size_t i = 0; i < run->address_n; i++) {
		struct native_address *a = &run->address[i];

		if (a->name)
			region_at_name(t, run, a, look);
		else
			function_name(t, run, a, look);
		free(a->path);
		free(a->build_id);
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
