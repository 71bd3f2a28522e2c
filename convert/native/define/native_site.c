/*
 * native_site.c: finds where memtypes were allocated: from the address after a call to a function,
 * a file and a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/trace/memory_type.h"
#include "analyze/trace/trace.h"
#include "convert/code/demangle.h"
#include "convert/io/bytes.h"
#include "convert/native/define/native_code.h"
#include "convert/native/define/native_module.h"
#include "convert/native/native_run.h"
#include "convert/native/define/native_site.h"
#include "convert/code/symbols.h"

#define CALLERS_MOST 32 /* wrappers of wrappers */

struct native_site {
	uint32_t memtype; /* of the trace */
	struct native_where place; /* of the last byte of the call */
	uint32_t call; /* of a vague site: the call whose function has no name; TRACE_NONE: the site's own function has none */
	int known;
	char *users; /* then: the text with what uses the function; NULL: there is nothing */
};

enum trace_leak native_leak(uint64_t flags)
{
	switch (flags & (TAU_MEM_LOST | TAU_MEM_REACHABLE)) {
	case 0:
		return LEAK_NONE;
	case TAU_MEM_LOST:
		return LEAK_LOST;
	case TAU_MEM_REACHABLE:
		return LEAK_REACHABLE;
	default:
		return LEAK_INDIRECT;
	}
}

void native_memtype_class(struct trace_memtype *t, uint64_t flags, const char *library)
{
	static const enum memory_family family[TAU_FAMILIES] = {
		[TAU_FAMILY_OPAL] = MEMORY_FAMILY_OPAL,
		[TAU_FAMILY_PMIX] = MEMORY_FAMILY_PMIX,
		[TAU_FAMILY_CXX] = MEMORY_FAMILY_CXX,
		[TAU_FAMILY_PYTHON] = MEMORY_FAMILY_PYTHON,
		[TAU_FAMILY_RULE] = MEMORY_FAMILY_RULE,
	};
	struct memory_class name = memory_class_read(t->name);
	unsigned written = TAU_MEM_FAMILY_OF(flags);
	int typed = 1;

	if (flags & TAU_MEM_API)
		t->family = MEMORY_FAMILY_PROGRAM;
	else if (written && written < TAU_FAMILIES)
		t->family = family[written];
	else if (flags & TAU_MEM_MANGLED)
		t->family = MEMORY_FAMILY_CXX;
	else
		typed = 0;
	if (flags & (TAU_MEM_UNTYPED | TAU_MEM_SLAB | TAU_MEM_MAPPED) || typed)
		t->kind = flags & TAU_MEM_UNTYPED  ? MEMORY_UNTYPED
			  : flags & TAU_MEM_SLAB   ? MEMORY_SLAB
			  : flags & TAU_MEM_MAPPED ? MEMORY_MAPPED
						   : MEMORY_TYPED;
	else
		t->kind = name.kind;
	if (written == TAU_FAMILY_VARIABLE)
		t->kind = MEMORY_VARIABLE;
	if (!typed && (t->kind == MEMORY_TYPED || t->kind == MEMORY_SLAB))
		t->family = name.family;
	if (*library)
		t->library = mem_string(library);
	else if (t->kind == name.kind && name.library)
		t->library = mem_printf("%.*s", (int)name.library_n, name.library);
}

/* ---- memtypes as files define them ---- */

struct native_memtype_fields native_memtype_read(struct bytes *b, uint64_t most)
{
	struct native_memtype_fields f;

	f.id = bytes_upto(b, most);
	f.owner = bytes_upto(b, most);
	f.from = b->p;
	f.flags = bytes_varint(b);
	f.size = bytes_varint(b);
	f.name = bytes_string(b);
	f.library = bytes_string(b);
	f.n = (size_t)(b->p - f.from);
	return f;
}

static char *text_copy(struct trace *t, struct bytes b)
{
	char *s = bytes_text(b);

	trace_text(t, s, bytes_left(&b));
	return s;
}

static char *shown_text(struct trace *t, const struct native_memtype_fields *f)
{
	char *n = text_copy(t, f->name), *l = text_copy(t, f->library), *plain, *shown;

	if (f->flags & TAU_MEM_UNTYPED) {
		shown = *l ? mem_join("untyped [", l, "]", NULL) : mem_string("untyped");
	} else if (TAU_MEM_FAMILY_OF(f->flags) == TAU_FAMILY_VARIABLE) {
		shown = memory_variable_text(n, l);
	} else {
		plain = f->flags & TAU_MEM_MANGLED ? demangle_type(n) : NULL;
		shown = mem_join(plain ? plain : n, f->flags & TAU_MEM_SLAB ? "[]" : "", NULL);
		free(plain);
	}
	free(n);
	free(l);
	return shown;
}

uint32_t native_memtype_shown(struct trace *t, struct native_run *run,
			      const struct native_memtype_fields *f)
{
	uint32_t as = names_add(&run->memtype_fields, (const char *)f->from, f->n);
	char *text;

	if (as == run->memtype_shown_n) {
		text = shown_text(t, f);
		*array_add(run, memtype_shown) = names_add(&run->memtype_text, text, strlen(text));
		free(text);
	}
	return run->memtype_shown[as];
}

const struct native_module *native_memtype_module(const struct native_stream *s,
						  const struct native_memtype_fields *f,
						  uint64_t site, struct bytes *rest,
						  struct native_module *unloaded)
{
	const struct native_module *module;
	char *library;

	if (!native_module_read(rest, unloaded))
		return unloaded;
	library = native_leak(f->flags) ? bytes_text(f->library) : NULL;
	module = native_module_named(s, site - 1, library ? library : "");
	free(library);
	return module;
}

uint32_t native_memtype_id(struct native_run *run, const struct native_module *m, uint32_t shown,
			   uint32_t owner, uint64_t flags, uint64_t site, const char *place,
			   uint32_t call)
{
	struct names *texts = &run->memtype_text;
	const char *text = m ? m->path : site || !place ? "" : place;
	const char *build = m && m->build_id_n ? (const char *)m->build_id : "";
	uint32_t text_of = m && m->text ? m->text - 1 : names_add(texts, text, strlen(text)),
		 build_of = m && m->build ? m->build - 1
					  : names_add(texts, build, m ? m->build_id_n : 0);
	struct {
		uint64_t offset;
		uint32_t owner, call, leak, shown, text, build, placed, none; /* no padding: it is compared */
	} key = {m ? site - m->bias : site,
		 owner,
		 call,
		 native_leak(flags),
		 shown,
		 text_of,
		 build_of,
		 site || place,
		 0};

	return names_add(&run->memtype, (const char *)&key, sizeof(key));
}

void native_memtype_add(struct trace *t, struct native_run *run,
			const struct native_memtype_fields *f, uint32_t shown, uint32_t owner,
			uint32_t call)
{
	struct trace_memtype *to = array_add(t, memtype);
	char *library = text_copy(t, f->library);

	to->name = mem_string(run->memtype_text.name[shown]);
	native_memtype_class(to, f->flags, library);
	to->owner = owner;
	to->object_size = (uint32_t)(f->size < UINT32_MAX ? f->size : 0);
	to->leak = native_leak(f->flags);
	to->context = (f->flags & TAU_MEM_CONTEXT) != 0;
	to->call = call;
	free(library);
}

void native_site_add(struct native_run *run, const struct native_module *m, uint32_t memtype,
		     uint64_t site)
{
	struct native_site *to = array_add(run, site);

	to->memtype = memtype;
	to->place = native_where_in(m, site - 1);
}

/* How the names of functions end that allocate for their callers, but for numbers: xmalloc, g_malloc0, PyMem_RawCalloc. */
#define END(text) {text, sizeof(text) - 1}
static const struct {
	const char *text;
	size_t n;
} allocator_ends[] = {END("malloc"),	   END("mallocz"),	END("calloc"),
		      END("realloc"),	   END("reallocarray"), END("zalloc"),
		      END("memalign"),	   END("strdup"),	END("strndup"),
		      END("memdup"),	   END("asprintf"),	END("genericalloc"),
		      END("generic_alloc")};
#undef END

static int is_allocator(const char *name, size_t n)
{
	char last;

	while (n && (name[n - 1] == '_' || (name[n - 1] >= '0' && name[n - 1] <= '9')))
		n--;
	last = n ? (char)(name[n - 1] | 32) : 0; /* a lower-case letter; most names end with none of these */
	for (size_t i = 0; i < sizeof(allocator_ends) / sizeof(*allocator_ends); i++) {
		size_t end = allocator_ends[i].n;

		if (n >= end && last == allocator_ends[i].text[end - 1] &&
		    !strncasecmp(name + n - end, allocator_ends[i].text, end))
			return 1;
	}
	return 0;
}

/*
 * Does the function belong to a library that allocates for others: "std::...", perhaps after a
 * return type, or a wrapper of an allocator? Of an operator, only the name before its parameters is
 * compared.
 */
static int allocates_for_others(const char *function)
{
	size_t n = strcspn(function, "(<");
	const char *name = function;

	for (size_t i = 0; i < n; i++)
		if (function[i] == ' ')
			name = function + i + 1;
	return is_allocator(function, n) || !strncmp(name, "std::", 5) ||
	       !strncmp(name, "__gnu_cxx::", 11) || !strncmp(function, "operator new", 12);
}

/*
 * The innermost function that does not allocate for others; if there is none, the outermost, which
 * the others are inlined in.
 */
static const struct trace_code *site_code(struct trace_place p)
{
	for (size_t i = 0; i + 1 < p.n; i++)
		if (p.code[i].name && !allocates_for_others(p.code[i].name))
			return &p.code[i];
	return &p.code[p.n - 1];
}

/*
 * Where stacks were recorded: the innermost function of the callers that does not allocate for others; NULL: unknown. *call is
 * its call then.
 */
static const struct trace_code *site_caller(struct trace *t, uint32_t *call)
{
	for (size_t depth = 0; *call != TRACE_NONE && depth < CALLERS_MOST; depth++) {
		struct trace_place p;

		if (t->call[*call].code == TRACE_NONE)
			return NULL;
		native_code_of(t, t->call[*call].code, &p, NULL);
		for (size_t i = 0; i < p.n; i++)
			if (!p.code[i].name || !allocates_for_others(p.code[i].name))
				return &p.code[i];
		*call = t->call[*call].caller;
	}
	return NULL;
}

/* The text with what uses the function of a vague site; NULL: there is nothing. The caller frees it. */
static char *users_text(struct trace *t, struct native_run *run, const struct native_site *s)
{
	struct trace_address a = {s->place.path, s->place.build_id, s->place.build_id_n,
				  s->place.at};
	struct trace_place p;
	char *users, *text;

	if (s->call != TRACE_NONE &&
	    (!native_code_of(t, t->call[s->call].code, &p, &a) || !a.path))
		return NULL;
	pthread_mutex_lock(&run->code_lock);
	users = symbols_callers(run->symbols, a.path, a.build_id, a.build_id_n, a.at);
	if (users && s->call == TRACE_NONE)
		p = symbols_place(run->symbols, a.path, a.build_id, a.build_id_n, a.at);
	pthread_mutex_unlock(&run->code_lock);
	text = users ? mem_printf("%s [%s]", users, p.code[p.n - 1].module) : NULL;
	free(users);
	return text;
}

const char *native_site_users(struct trace *t, uint32_t memtype)
{
	struct native_run *run = t->reader;
	struct native_site *s = &run->site[t->memtype[memtype].vague - 1];

	pthread_mutex_lock(&run->site_lock);
	if (!s->known)
		s->users = users_text(t, run, s);
	s->known = 1;
	pthread_mutex_unlock(&run->site_lock);
	return s->users;
}

/* The code that a site is named by. *vague: it or its caller has no name, which what uses it can take the place of. */
static const struct trace_code *site_find(struct trace *t, struct native_site *s,
					  struct trace_place p, int *vague)
{
	const struct trace_code *c = site_code(p), *outer;

	s->call = TRACE_NONE;
	*vague = !c->name;
	if (!c->name || !allocates_for_others(c->name))
		return c;
	s->call = t->memtype[s->memtype].call;
	outer = site_caller(t, &s->call);
	*vague = outer && !outer->name;
	return outer && outer->name ? outer : c;
}

static void site_name(struct trace_memtype *m, const struct trace_code *c,
		      const struct native_site *site)
{
	if (!c || !c->name)
		m->site = mem_printf("addr=<0x%llx> [%s]", (unsigned long long)site->place.at,
				     c ? c->module : "UNKNOWN");
	else if (c->file && c->line)
		m->site = mem_printf("%s [{%s} {%u}]", c->name, c->file, c->line);
	else
		m->site = mem_join(c->name, " [", c->module, "]", NULL);
	if (!c || !c->name || !c->file || !c->line)
		return;
	m->file = mem_string(c->file);
	m->line = c->line;
}

/* Of nodes, and of what make_shared() makes, each block is one: "std::_List_node<T>". */
static int is_single(const char *type, size_t n)
{
	size_t name = 0;

	while (name < n && type[name] != '<')
		name++;
	return (name >= 5 && !strncmp(type + name - 5, "_node", 5) && type[n - 1] == '>') ||
	       !strncmp(type, "std::_Sp_counted_", 17);
}

/*
 * What a container of the C++ library holds in a block, by the allocator that it called: the T of
 * "std::__new_allocator<T>::allocate(...)", with [] if there may be several. NULL: no container
 * allocated it.
 */
static char *site_holds(const char *function, int *several)
{
	static const char *const allocators[] = {"std::__new_allocator<",
						 "__gnu_cxx::new_allocator<", "std::allocator<"};
	const char *end = strstr(function, ">::allocate(");

	for (size_t k = 0; end && k < sizeof(allocators) / sizeof(*allocators); k++) {
		size_t n = strlen(allocators[k]);
		const char *type = function + n;

		if (strncmp(function, allocators[k], n) || end <= type)
			continue;
		n = (size_t)(end - type);
		n -= type[n - 1] == ' ';
		*several = !is_single(type, n);
		return mem_printf("%.*s%s", (int)n, type, *several ? "[]" : "");
	}
	return NULL;
}

/* Blocks of a container are of the type that it has in them, unless more is known of them. */
static void site_type(struct trace_memtype *m, struct trace_place p)
{
	char *type = NULL;
	int several = 0;

	if (m->kind != MEMORY_UNTYPED)
		return;
	for (size_t i = 0; i < p.n && !type; i++)
		type = p.code[i].name ? site_holds(p.code[i].name, &several) : NULL;
	if (type) {
		free(m->name);
		m->name = type;
		m->kind = several ? MEMORY_SLAB : MEMORY_TYPED;
		m->family = MEMORY_FAMILY_CXX;
	}
}

static void site_release(struct native_site *s)
{
	native_where_release(&s->place);
	free(s->users);
}

void native_site_name(struct trace *t, struct native_run *run, int look)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->site_n; i++) {
		struct native_site *s = &run->site[i];
		struct trace_memtype *m = &t->memtype[s->memtype];
		const struct trace_code *c = NULL;
		struct trace_place p;
		int vague = 0;

		if (s->place.path && look) {
			p = symbols_place(run->symbols, s->place.path, s->place.build_id,
					  s->place.build_id_n, s->place.at);
			c = site_find(t, s, p, &vague);
			site_type(m, p);
		}
		site_name(m, c, s);
		if (!vague) {
			site_release(s);
			continue;
		}
		run->site[kept] = *s;
		m->vague = ++kept;
	}
	run->site_n = kept;
}

void native_site_release(struct native_run *run)
{
	for (size_t i = 0; i < run->site_n; i++)
		site_release(&run->site[i]);
	free(run->site);
	pthread_mutex_destroy(&run->site_lock);
}
