/* native_made.c: names of code that a program made at run time, as it listed them and as they are stored. */
#include "convert/native/define/native_made.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "convert/code/code_map.h"

#define FOLDER "/tmp/"
#define NAME   "perf-"

/* Those of one process. */
struct native_made {
	uint64_t id;
	char *module;
	struct code_map *map;	/* NULL: there is none */
	struct {
		uint64_t *v;
		size_t v_n, v_cap;
	} used;			/* addresses whose names were looked up */
};

void native_made_search(struct native_run *run)
{
	run->made_search = 1;
}

int native_made_is(const char *module)
{
	return !strncmp(module, NAME, strlen(NAME)) && !strchr(module, '/');
}

static struct native_made *made_get(struct native_run *run, uint64_t id)
{
	for (size_t i = 0; i < run->made_n; i++)
		if (run->made[i].id == id)
			return &run->made[i];
	return NULL;
}

/* A process of another host has its list there. */
static struct code_map *map_read(const struct native_clock *c, const char *module)
{
	struct code_map *m = NULL;
	struct utsname here;
	char *path;

	if (!c->wall || uname(&here) || strcmp(c->host, here.nodename) != 0)
		return NULL;
	path = mem_printf(FOLDER "%s", module);
	m = code_map_read(path, c->wall);
	free(path);
	return m;
}

static const struct stored_row *stored_find(const struct native_run *run, const char *module,
					    const unsigned char *id, uint64_t address)
{
	const struct stored_module *m =
		run->names ? stored_names_find(run->names, module, id, sizeof(uint64_t)) : NULL;
	size_t n;

	return m ? stored_row_find(run->names, m, STORED_CODE, address, &n) : NULL;
}

static struct native_made *made_of(struct native_run *run, const struct native_stream *s)
{
	struct native_made *m = made_get(run, s->file->head.process_id);

	if (m)
		return m;
	m = array_add(run, made);
	m->id = s->file->head.process_id;
	m->module = mem_printf(NAME "%u.map", s->file->head.pid);
	m->map = run->made_search ? map_read(&run->clock[s->clock], m->module) : NULL;
	return m;
}

char *native_made_module(struct native_run *run, const struct native_stream *s, uint64_t address)
{
	struct native_made *m;

	if (!run->made_search && !run->names)
		return NULL;
	m = made_of(run, s);
	return (m->map && code_map_find(m->map, address)) ||
			       stored_find(run, m->module, (const unsigned char *)&m->id, address)
		       ? mem_string(m->module)
		       : NULL;
}

struct trace_code native_made_code(struct native_run *run, const char *module,
				   const unsigned char *id, uint64_t address)
{
	const struct stored_row *row = stored_find(run, module, id, address);
	const struct function *f;
	struct native_made *m;
	uint64_t process;

	memcpy(&process, id, sizeof(process));
	m = made_get(run, process);
	f = m && m->map ? code_map_find(m->map, address) : NULL;
	if (m)
		*array_add(&m->used, v) = address;
	if (f)
		return (struct trace_code){
			.name = mem_string(f->name), .file = f->file, .line = f->line};
	if (!row || row->name == STORED_NONE)
		return (struct trace_code){.name = NULL};
	return (struct trace_code){.name = mem_string(stored_text(run->names, row->name)),
				   .file = stored_text(run->names, row->file),
				   .line = row->line};
}

static int address_compare(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a > *b) - (*a < *b);
}

static void row_store(const struct native_run *run, const struct native_made *m, uint64_t address,
		      struct stored_names *to)
{
	const struct function *f = m->map ? code_map_find(m->map, address) : NULL;
	const struct stored_row *row =
		stored_find(run, m->module, (const unsigned char *)&m->id, address);
	struct stored_row out = {
		.address = address, .kind = STORED_CODE, .name = STORED_NONE, .file = STORED_NONE};

	if (f) {
		out.name = stored_names_text(to, f->name);
		out.file = stored_names_text(to, f->file);
		out.line = f->line;
	} else if (row) {
		out.name = stored_names_text(to, stored_text(run->names, row->name));
		out.file = stored_names_text(to, stored_text(run->names, row->file));
		out.line = row->line;
	}
	stored_names_row(to, out);
}

void native_made_store(const struct native_run *run, struct stored_names *to)
{
	for (size_t i = 0; i < run->made_n; i++) {
		struct native_made *m = &run->made[i];

		if (!m->used.v_n)
			continue;
		qsort(m->used.v, m->used.v_n, sizeof(*m->used.v), address_compare);
		stored_names_module(to, m->module, (const unsigned char *)&m->id, sizeof(m->id),
				    (struct stored_state){0});
		for (size_t k = 0; k < m->used.v_n; k++)
			row_store(run, m, m->used.v[k], to);
	}
}

void native_made_release(struct native_run *run)
{
	for (size_t i = 0; i < run->made_n; i++) {
		free(run->made[i].module);
		free(run->made[i].used.v);
		code_map_free(run->made[i].map);
	}
	free(run->made);
}
