/* symbols.c: looks up the names of functions and places in binaries, and keeps what it has found. */
#include "convert/code/symbols.h"

#include <inttypes.h>
#include <elfutils/libdwelf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/base/base.h"
#include "analyze/base/map.h"
#include "convert/code/binary.h"
#include "convert/code/callers.h"
#include "convert/code/demangle.h"
#include "convert/code/found.h"
#include "convert/code/functions.h"
#include "convert/code/hooks.h"
#include "convert/code/inlines.h"
#include "convert/code/stored_names.h"
#include "convert/io/paths.h"

#define PLACE_MOST 32		/* limit of the functions at one address that are inlined into
				 * each other */

struct symbol_module {
	struct binary binary;
	struct found found;
	struct callers *callers;	/* NULL: not looked up, or nothing is known */
	int callers_read;
	const struct stored_module *stored;	/* these names are used first; NULL: there are none */
};

struct symbols {
	struct symbol_module **module;
	size_t module_n, module_cap;
	struct symbol_module *last; /* found last; NULL: none */
	char **note;
	size_t note_n, note_cap;
	int64_t recorded;	/* seconds of real time; 0: unknown */
	struct found nowhere;	/* what is in no module */
	struct symbols_kept *kept;	/* NULL: modules are of this struct symbols */
	const struct stored_names *names;	/* NULL: none */
	int brief;		/* debug information is not used */
	int own;		/* only that inside of binaries is */
};

/* Modules that outlive the struct symbols that met them. */
struct symbols_kept {
	pthread_mutex_t lock;	/* of these, and of all that is found in a module */
	struct symbol_module **module;
	size_t module_n, module_cap;
};

static void symbols_lock(struct symbols *s)
{
	if (s->kept)
		pthread_mutex_lock(&s->kept->lock);
}

static void symbols_unlock(struct symbols *s)
{
	if (s->kept)
		pthread_mutex_unlock(&s->kept->lock);
}

static void note_add(struct symbols *s, const char *path, const char *what)
{
	*array_add(s, note) = mem_printf("%s: %s; its functions are named by address", path, what);
}

/* ---- modules ---- */

static int module_is(const struct symbol_module *m, const char *path, const unsigned char *id,
		     size_t n)
{
	return m->binary.build_id_n == n && (!n || !memcmp(m->binary.build_id, id, n)) &&
	       !strcmp(m->binary.path, path);
}

static struct symbol_module *module_find(struct symbol_module *const *v, size_t v_n,
					 const char *path, const unsigned char *id, size_t n)
{
	for (size_t i = 0; i < v_n; i++)
		if (module_is(v[i], path, id, n))
			return v[i];
	return NULL;
}

/*
 * A module whose names are stored: of this struct symbols alone, because other runs have other names.
 * If its file is as it was, its names are the same, but they need no debug information.
 */
static struct symbol_module *module_stored(struct symbols *s, const char *path,
					   const unsigned char *id, size_t n)
{
	const struct stored_module *stored =
		s->names ? stored_names_find(s->names, path, id, n) : NULL;
	struct symbol_module *m;

	if (!stored)
		return NULL;
	m = mem_alloc(sizeof(*m));
	m->stored = stored;
	if (n || !stored->changed)
		binary_open(&m->binary, path, id, n);	/* debug information may be left */
	else
		m->binary.path = mem_string(path);
	*array_add(s, module) = m;
	return m;
}

/* What is wrong with a module is a note of each struct symbols that meets it. */
static struct symbol_module *module_make(struct symbols *s, const char *path,
					 const unsigned char *id, size_t n)
{
	struct symbol_module *m = module_find(s->module, s->module_n, path, id, n);

	if (!m)
		m = module_stored(s, path, id, n);
	if (m)
		return m;
	if (s->kept)
		m = module_find(s->kept->module, s->kept->module_n, path, id, n);
	if (!m) {
		m = mem_alloc(sizeof(*m));
		binary_open(&m->binary, path, id, n);
		if (s->kept)
			*array_add(s->kept, module) = m;
	}
	*array_add(s, module) = m;
	if (m->binary.wrong)
		note_add(s, path, m->binary.wrong);
	else if (s->recorded && !n && m->binary.changed > s->recorded)
		*array_add(s, note) = mem_printf("%s: is newer than the recording and has no build "
						 "id; its functions may have other names",
						 path);
	return m;
}

/* The lock is held, if there is one. */
static struct symbol_module *module_get(struct symbols *s, const char *path,
					const unsigned char *id, size_t n)
{
	if (!s->last || !module_is(s->last, path, id, n))
		s->last = module_make(s, path, id, n);
	return s->last;
}

static uint32_t answer_add(struct found *to, char *name, const char *file, uint32_t line)
{
	struct answer *a = array_add(to, answer);

	a->name = name;
	a->file = file ? mem_string(file) : NULL;
	a->line = line;
	return (uint32_t)to->answer_n - 1;
}

/*
 * A function that the compiler made has no declaration (main._omp_fn.0 of OpenMP): the first line
 * of its code is used instead. 0: unknown.
 */
static int made_place(struct symbol_module *m, uint64_t address, struct function *to)
{
	Dwarf_Die unit;

	return !binary_unit(&m->binary, address, &unit) &&
	       inlines_line(&unit, address, &to->file, &to->line);
}

static int has_debug(const struct symbols *s, const struct symbol_module *m)
{
	return !s->brief && !(s->own && m->binary.debug.elf);
}

/* Is the stored name all that can be known? A file that is as it was can have got debug information. */
static int is_enough(const struct symbol_module *m, const struct stored_row *row)
{
	return row && row->name != STORED_NONE &&
	       (m->stored->changed || row->file != STORED_NONE);
}

static uint32_t module_answer(const struct symbols *s, struct symbol_module *m, uint64_t address)
{
	const struct function *f, *d;
	const struct stored_row *row = NULL;
	struct function made = {0};
	char *readable, *name;
	size_t n;

	if (m->stored)
		row = stored_row_find(s->names, m->stored, STORED_FUNCTION, address, &n);
	if (is_enough(m, row))
		return answer_add(&m->found, mem_string(stored_text(s->names, row->name)),
				  stored_text(s->names, row->file), row->line);
	f = binary_symbol(&m->binary, address);
	if (!f)
		return answer_add(&m->found,
				  mem_printf("addr=<0x%llx> [%s]", (unsigned long long)address,
					     path_file(m->binary.path)),
				  NULL, 0);
	readable = demangle(f->name);
	d = has_debug(s, m) ? binary_debug(&m->binary, f->low) : NULL;
	if (!d && !s->brief && made_place(m, f->low, &made))
		d = &made;
	if (d)
		name = mem_printf("%s [{%s} {%u,0}]", readable ? readable : f->name, d->file,
				  d->line);
	else
		name = mem_string(readable ? readable : f->name);
	free(readable);
	return answer_add(&m->found, name, d ? d->file : NULL, d ? d->line : 0);
}

/* ---- interface ---- */

struct symbols *symbols_new(void)
{
	elf_version(EV_CURRENT);
	return mem_alloc(sizeof(struct symbols));
}

void symbols_recorded(struct symbols *s, int64_t seconds)
{
	s->recorded = seconds;
}

struct symbols *symbols_new_kept(struct symbols_kept *kept)
{
	struct symbols *s = symbols_new();

	s->kept = kept;
	return s;
}

struct symbols_kept *symbols_kept_new(void)
{
	struct symbols_kept *kept = mem_alloc(sizeof(*kept));

	pthread_mutex_init(&kept->lock, NULL);
	return kept;
}

struct symbol symbols_get(struct symbols *s, const char *path, const unsigned char *build_id,
			  size_t build_id_n, uint64_t bias, uint64_t address)
{
	struct symbol_module *m;
	struct found *found;
	struct answer a;
	uint64_t in_file;
	uint32_t at;

	symbols_lock(s);
	m = path ? module_get(s, path, build_id, build_id_n) : NULL;
	found = m ? &m->found : &s->nowhere;
	in_file = m ? address - bias : address;
	at = map_get(&found->answers, in_file);
	if (at == MAP_NONE) {
		at = m ? module_answer(s, m, in_file)
		       : answer_add(found,
				    mem_printf("addr=<0x%llx>", (unsigned long long)address),
				    NULL, 0);
		map_set(&found->answers, in_file, at);
	}
	a = found->answer[at];
	symbols_unlock(s);
	return (struct symbol){a.name, a.file, a.line};
}

size_t symbols_each(struct symbols *s, const char *path, const unsigned char *build_id,
		    size_t build_id_n, int files,
		    void (*each)(void *to, uint64_t address, const char *name, const char *file),
		    void *to)
{
	const struct function *f, *d;
	struct symbol_module *m;
	size_t n = 0;

	symbols_lock(s);
	m = module_get(s, path, build_id, build_id_n);
	functions_sort(&m->binary.symbols);
	for (size_t i = 0; i < m->binary.symbols.v_n; i++) {
		char *readable;

		f = &m->binary.symbols.v[i];
		if (i && f->low == f[-1].low)
			continue;
		readable = demangle(f->name);
		d = files ? binary_debug(&m->binary, f->low) : NULL;
		each(to, f->low, readable ? readable : f->name, d ? d->file : NULL);
		free(readable);
		n++;
	}
	symbols_unlock(s);
	return n;
}

size_t symbols_build_id(const char *path, unsigned char out[64], int *hooks)
{
	struct elf_file f = { 0 };
	const void *id;
	ssize_t n;

	*hooks = 0;
	elf_version(EV_CURRENT);
	if (elf_file_open(&f, path))
		return 0;
	*hooks = hooks_find(f.elf);
	n = dwelf_elf_gnu_build_id(f.elf, &id);
	if (n < 0 || n > 64)
		n = 0;
	if (n)
		memcpy(out, id, (size_t)n);
	elf_file_close(&f);
	return (size_t)n;
}

/* Sets one function of a place, with its name made readable and without a version. */
static void place_set(struct code_place *p, size_t i, const struct inlined *in, const char *module)
{
	const char *name = in->name;

	p->name[i] = demangle(name);
	if (name && !p->name[i] && strchr(name + 1, '@'))
		p->name[i] = mem_printf("%.*s", (int)strcspn(name, "@"), name);
	p->code[i] = (struct trace_code){
		.name = p->name[i] ? p->name[i] : name,
		.file = in->file,
		.line = in->line,
		.module = module,
	};
}

/* The same functions as they were stored. NULL: they were not. */
static struct code_place *place_stored(const struct symbols *s, struct symbol_module *m,
				       uint64_t address)
{
	const struct stored_row *row;
	struct code_place *p;
	size_t n;

	if (!m || !m->stored)
		return NULL;
	row = stored_row_find(s->names, m->stored, STORED_CODE, address, &n);
	if (!row || (!m->stored->changed && row->file == STORED_NONE))
		return NULL;
	p = array_add(&m->found, place);
	found_room(p, n);
	for (size_t i = 0; i < n; i++)
		p->code[i] = (struct trace_code){
			.name = stored_text(s->names, row[i].name),
			.file = stored_text(s->names, row[i].file),
			.line = row[i].line,
			.module = m->binary.path,
		};
	return p;
}

static struct trace_place place_look_up(const struct symbols *s, struct symbol_module *m,
					struct found *found, const char *path, uint64_t address)
{
	struct inlined in[PLACE_MOST];
	const struct function *f = m ? binary_symbol(&m->binary, address) : NULL;
	struct code_place *p = array_add(found, place);
	Dwarf_Die unit;
	size_t n = 0;

	if (m && has_debug(s, m) && !binary_unit(&m->binary, address, &unit))
		n = inlines_get(&unit, address, in, PLACE_MOST);
	if (!n) {
		in[0] = (struct inlined){0};
		n = 1;
	}
	if (f)
		in[n - 1].name = f->name;
	found_room(p, n);
	for (size_t i = 0; i < p->n; i++)
		place_set(p, i, &in[i], m ? m->binary.path : path);
	return (struct trace_place){ p->code, p->n };
}

static struct trace_place place_make(struct symbols *s, struct symbol_module *m, const char *path,
				     uint64_t address)
{
	struct code_place *p = place_stored(s, m, address);

	if (p)
		return (struct trace_place){p->code, p->n};
	return place_look_up(s, m, m ? &m->found : &s->nowhere, path, address);
}

struct trace_place symbols_place(struct symbols *s, const char *path, const unsigned char *build_id,
				 size_t build_id_n, uint64_t address)
{
	struct trace_place place;
	struct symbol_module *m;
	uint32_t at;

	symbols_lock(s);
	m = path[0] == '/' ? module_get(s, path, build_id, build_id_n) : NULL;
	at = m ? map_get(&m->found.places, address) : MAP_NONE;
	if (at == MAP_NONE) {
		place = place_make(s, m, path, address);
		if (m)
			map_set(&m->found.places, address, (uint32_t)m->found.place_n - 1);
	} else {
		place = (struct trace_place){m->found.place[at].code, m->found.place[at].n};
	}
	symbols_unlock(s);
	return place;
}

char *symbols_start_name(struct symbols *s, const char *path, const unsigned char *build_id,
			 size_t build_id_n, uint64_t address)
{
	uint64_t start = 0;

	if (path[0] != '/')
		return NULL;
	symbols_lock(s);
	start = binary_function_start(&module_get(s, path, build_id, build_id_n)->binary, address);
	symbols_unlock(s);
	return start ? mem_printf("%s+0x%" PRIx64, path_file(path), start) : NULL;
}

static const char *module_symbol(void *to, uint64_t address)
{
	struct symbol_module *m = to;
	const struct function *f = binary_symbol(&m->binary, address);

	return f ? f->name : NULL;
}

/* Reads the code of the binary, which takes a while, at the first look. */
static char *module_users(const struct symbols *s, struct symbol_module *m, uint64_t address)
{
	const struct stored_row *row = NULL;
	size_t n;

	if (m->stored)
		row = stored_row_find(s->names, m->stored, STORED_USERS, address, &n);
	if (row && row->name != STORED_NONE)
		return mem_string(stored_text(s->names, row->name));
	if (m->binary.file.elf && !m->callers_read) {
		m->callers = callers_new(m->binary.file.elf);
		m->callers_read = 1;
	}
	return m->callers ? callers_words(m->callers, address, module_symbol, m) : NULL;
}

char *symbols_callers(struct symbols *s, const char *path, const unsigned char *build_id,
		      size_t build_id_n, uint64_t address)
{
	const char *text = NULL;
	char *words;
	struct symbol_module *m;
	uint32_t at;

	symbols_lock(s);
	m = path[0] == '/' ? module_get(s, path, build_id, build_id_n) : NULL;
	if (m) {
		at = map_get(&m->found.users, address);
		if (at == MAP_NONE) {
			words = module_users(s, m, address);
			at = (uint32_t)m->found.user_n;
			*array_add(&m->found, user) = words;
			map_set(&m->found.users, address, at);
		}
		text = m->found.user[at];
	}
	words = text ? mem_string(text) : NULL;
	symbols_unlock(s);
	return words;
}

void symbols_brief(struct symbols *s)
{
	s->brief = 1;
}

void symbols_own_debug(struct symbols *s)
{
	s->own = 1;
}

void symbols_use_stored(struct symbols *s, const struct stored_names *stored)
{
	s->names = stored;
}

/* ---- what is stored of a module ---- */

/* What the file is now, and, if its names were stored, what it was. 0: it cannot be looked at. */
static int module_state(const struct symbol_module *m, struct stored_state *out)
{
	struct stat st;

	if (m->stored) {
		*out = m->stored->state;
		return 1;
	}
	if (m->binary.wrong || !m->binary.file.elf || fstat(m->binary.file.fd, &st))
		return 0;
	out->mtime_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	out->size = (uint64_t)st.st_size;
	return 1;
}

void symbols_store(struct symbols *s, struct stored_names *out)
{
	struct stored_state state;

	symbols_lock(s);
	for (size_t i = 0; i < s->module_n; i++) {
		const struct symbol_module *m = s->module[i];

		if (!module_state(m, &state))
			continue;
		stored_names_module(out, m->binary.path, m->binary.build_id, m->binary.build_id_n,
				    state);
		found_store(&m->found, out);
	}
	symbols_unlock(s);
}

size_t symbols_note_n(const struct symbols *s)
{
	return s->note_n;
}

const char *symbols_note(const struct symbols *s, size_t i)
{
	return s->note[i];
}

static void module_free(struct symbol_module *m)
{
	callers_free(m->callers);
	found_release(&m->found);
	binary_close(&m->binary);
	free(m);
}

void symbols_free(struct symbols *s)
{
	for (size_t i = 0; i < s->module_n; i++)
		if (!s->kept || s->module[i]->stored)
			module_free(s->module[i]);
	for (size_t i = 0; i < s->note_n; i++)
		free(s->note[i]);
	found_release(&s->nowhere);
	free(s->module);
	free(s->note);
	free(s);
}

void symbols_kept_free(struct symbols_kept *kept)
{
	for (size_t i = 0; i < kept->module_n; i++)
		module_free(kept->module[i]);
	free(kept->module);
	pthread_mutex_destroy(&kept->lock);
	free(kept);
}
