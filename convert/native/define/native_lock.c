/* native_lock.c: locks that threads wait for, named by the variables and the code at their addresses. */
#include <string.h>

#include "convert/code/symbols.h"
#include "convert/code/variables.h"
#include "convert/io/bytes.h"
#include "convert/native/define/native_lock.h"
#include "convert/native/native_run.h"
#include "convert/native/define/native_module.h"

struct native_lock {
	uint32_t event;
	uint64_t address; /* 0: of all others */
	struct native_where lock, place;
	char *name, *first; /* NULL: found by the addresses; in a run that was converted, they are given */
};

uint32_t native_lock_event(struct trace *t, struct native_run *run, const struct native_stream *s,
			   const struct native_lock_said *said)
{
	char *key = mem_printf("lock %u %#llx %s", s->process, (unsigned long long)said->address,
			       said->kind);
	uint32_t event = names_add(&run->event, key, strlen(key));
	struct trace_event *e;
	struct native_lock *l;

	free(key);
	if (event < t->event_n) {
		free(said->kind);
		free(said->name);
		free(said->first);
		return event;
	}
	e = array_add(t, event);
	e->lock = mem_alloc(sizeof(*e->lock));
	*e->lock = (struct trace_lock){.kind = said->kind};
	l = array_add(run, lock);
	*l = (struct native_lock){
		.event = event, .address = said->address, .name = said->name, .first = said->first};
	if (!said->name) {
		if (said->address)
			l->lock = native_where(s, said->address);
		if (said->place)
			l->place = native_where(s, said->place);
	}
	return event;
}

/*
 * The variables of critical sections are named by their compilers: ".gomp_critical_user_NAME" (gcc),
 * ".gomp_critical_user_NAME.var" (clang), without NAME if they have none. Frees the text if it
 * returns another.
 */
static char *critical_name(char *variable)
{
	static const char prefix[] = ".gomp_critical_user_";
	char *name;

	if (strncmp(variable, prefix, sizeof(prefix) - 1))
		return variable;
	name = variable + sizeof(prefix) - 1;
	name[strcspn(name, ".")] = 0;
	name = mem_string(*name ? name : "unnamed");
	free(variable);
	return name;
}

/* "table_lock", "table_lock+0x10", "0x4060 of app", "0x7f0c5c000b80". */
static char *lock_text(const struct native_lock *l, int look)
{
	const struct native_where *w = &l->lock;
	char *name = NULL;

	if (!l->address)
		return mem_string("others");
	if (l->address == TAU_LOCK_UNNAMED)
		return mem_string("unnamed");
	if (!w->path)
		return mem_printf("%#llx", (unsigned long long)l->address);
	if (look)
		name = variable_name(w->path, w->build_id, w->build_id_n, w->at);
	return name ? critical_name(name)
		    : mem_printf("%#llx of %s", (unsigned long long)w->at, native_where_module(w));
}

/* "work [{app.c} {12}]"; NULL: unknown. */
static char *place_text(struct symbols *symbols, const struct native_where *w)
{
	struct trace_place p;

	if (!w->path)
		return NULL;
	p = symbols_place(symbols, w->path, w->build_id, w->build_id_n, w->at);
	if (!p.code[0].name)
		return NULL;
	if (!p.code[0].file || !p.code[0].line)
		return mem_string(p.code[0].name);
	return mem_printf("%s [{%s} {%u}]", p.code[0].name, p.code[0].file, p.code[0].line);
}

void native_lock_name(struct trace *t, struct native_run *run, int look)
{
	for (size_t i = 0; i < run->lock_n; i++) {
		struct native_lock *l = &run->lock[i];
		struct trace_event *e = &t->event[l->event];

		e->lock->name = l->name ? l->name : lock_text(l, look);
		e->lock->place = look && !l->first ? place_text(run->symbols, &l->place) : NULL;
		if (l->first && *l->first)
			e->lock->place = mem_string(l->first);
		free(l->first);
		e->name = mem_printf("Holder of %s %s", e->lock->kind, e->lock->name);
		native_where_release(&l->lock);
		native_where_release(&l->place);
	}
	free(run->lock);
	run->lock = NULL;
	run->lock_n = run->lock_cap = 0;
}
