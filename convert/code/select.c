/* select.c: reads selective instrumentation files and finds the functions that they name in
 * binaries. */
#include "convert/code/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "record/format.h"
#include "convert/code/hooks.h"
#include "convert/code/source_name.h"
#include "convert/code/symbols.h"
#include "convert/io/text_file.h"

/* kinds that are not in the table, because it contains only functions */
enum { PATCH = TAU_SELECT_KINDS, KINDS };

struct select {
	char **pattern[KINDS];
	size_t n[KINDS], cap[KINDS];
	struct {
		char **v;
		size_t v_n, v_cap;
	} section;	/* lines of instrumentation sections */
	size_t patched;	/* functions that select_table() found */
};

/* ---- reading ---- */

/* A block between BEGIN_word and END_word; kind KINDS: its lines are instructions, no names. */
static const struct selection_block {
	const char *word;
	int kind;
} blocks[] = {
	{"EXCLUDE_LIST", TAU_SELECT_EXCLUDE},
	{"INCLUDE_LIST", TAU_SELECT_INCLUDE},
	{"FILE_EXCLUDE_LIST", TAU_SELECT_FILE_EXCLUDE},
	{"FILE_INCLUDE_LIST", TAU_SELECT_FILE_INCLUDE},
	{"INSTRUMENT_SECTION", KINDS},
};
#define BLOCKS (sizeof(blocks) / sizeof(*blocks))

/* The block that a line begins (prefix BEGIN_) or ends (END_), NULL: none. */
static const struct selection_block *block_find(const char *line, const char *prefix)
{
	size_t n = strlen(prefix);

	if (strncmp(line, prefix, n) != 0)
		return NULL;
	for (size_t i = 0; i < BLOCKS; i++)
		if (!strcmp(line + n, blocks[i].word))
			return &blocks[i];
	return NULL;
}

/* A line for a message: at most n characters, without control characters. */
static char *shown(char *line, size_t n)
{
	n = strnlen(line, n);
	line[n] = 0;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ' || (unsigned char)line[i] > '~')
			line[i] = '?';
	return line;
}

/* Adds a pattern and takes over its text. */
static void pattern_push(struct select *s, int kind, char *text)
{
	if (s->n[kind] == s->cap[kind])
		s->pattern[kind] =
			array_grow(s->pattern[kind], &s->cap[kind], sizeof(*s->pattern[kind]));
	s->pattern[kind][s->n[kind]++] = text;
}

static void pattern_add(struct select *s, int kind, char *text)
{
	size_t n;

	if (kind == KINDS) {
		*array_add(&s->section, v) = mem_string(shown(text, 500));
		return;
	}
	if (*text == '"')
		text++;
	n = strlen(text);
	if (n && text[n - 1] == '"')
		text[n - 1] = 0;
	pattern_push(s, kind, mem_string(text));
}

static int line_parse(struct select *s, const struct selection_block **in, char *line,
		      struct error *e)
{
	const struct selection_block *end = block_find(line, "END_"),
				     *begin = block_find(line, "BEGIN_");

	if (!*line || *line == '#')
		return 0;
	if (*in && end == *in) {
		*in = NULL;
	} else if (*in && !end && !begin) {
		pattern_add(s, (*in)->kind, line);
	} else if (!*in && begin) {
		*in = begin;
	} else if (*in) {
		return error_set(e, ERROR_INPUT, "'%s' inside of BEGIN_%s", shown(line, 60),
				 (*in)->word);
	} else {
		return error_set(e, ERROR_INPUT, "'%s' is outside of all lists", shown(line, 60));
	}
	return 0;
}

int select_read(const char *path, struct select **out, struct error *e)
{
	struct select *s = mem_alloc(sizeof(*s));
	const struct selection_block *in = NULL;
	char *line = NULL;
	size_t cap = 0, n = 0;
	struct error why = {0};
	int code = 0;
	FILE *f = text_fopen(path, e);

	if (!f) {
		select_free(s);
		return e->code;
	}
	while (!code && getline(&line, &cap, f) >= 0) {
		n++;
		code = line_parse(s, &in, text_trim(line), &why);
	}
	if (ferror(f))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	else if (code)
		error_set(e, code, "%s: line %zu: %s", path, n, why.text);
	else if (in)
		code = error_set(e, ERROR_INPUT, "%s: END_%s is missing", path, in->word);
	fclose(f);
	free(line);
	if (code) {
		select_free(s);
		return code;
	}
	*out = s;
	return 0;
}

struct select *select_new(void)
{
	return mem_alloc(sizeof(struct select));
}

void select_add_start(struct select *s, const char *name)
{
	char *copy = mem_string(name);

	pattern_add(s, TAU_SELECT_START, copy);
	free(copy);
}

void select_add_stop(struct select *s, const char *name)
{
	char *copy = mem_string(name);

	pattern_add(s, TAU_SELECT_STOP, copy);
	free(copy);
}

struct select *select_new_now(int include, const char *name)
{
	struct select *s = select_new();

	pattern_push(s, include ? TAU_SELECT_NOW_INCLUDE : TAU_SELECT_NOW_EXCLUDE,
		     mem_string(name));
	return s;
}

/* The end of the first name of a list: at a comma that is not inside brackets. */
static size_t name_length(const char *list)
{
	int inside = 0;
	size_t n;

	for (n = 0; list[n] && (list[n] != ',' || inside > 0); n++)
		inside += list[n] == '(' || list[n] == '<'   ? 1
			  : list[n] == ')' || list[n] == '>' ? -1
							     : 0;
	return n;
}

void select_add_patch(struct select *s, const char *list)
{
	while (*list) {
		size_t n = name_length(list);
		char *name = mem_printf("%.*s", (int)n, list);

		for (char *c = name; *c; c++)
			*c = *c == '*' ? '#' : *c;
		if (*name)
			pattern_add(s, PATCH, name);
		free(name);
		list += n + (list[n] == ',');
	}
}

size_t select_patched(const struct select *s)
{
	return s->patched;
}

void select_free(struct select *s)
{
	for (int k = 0; k < KINDS; k++) {
		for (size_t i = 0; i < s->n[k]; i++)
			free(s->pattern[k][i]);
		free(s->pattern[k]);
	}
	for (size_t i = 0; i < s->section.v_n; i++)
		free(s->section.v[i]);
	free(s->section.v);
	free(s);
}

size_t select_section_n(const struct select *s)
{
	return s->section.v_n;
}

const char *select_section(const struct select *s, size_t i)
{
	return s->section.v[i];
}

/* ---- matching ---- */

static int any_name(const struct select *s, int kind, const char *name)
{
	for (size_t i = 0; i < s->n[kind]; i++)
		if (name_match(s->pattern[kind][i], name, strlen(name)) ||
		    name_match(s->pattern[kind][i], name, strcspn(name, "(.[")) ||
		    source_name_match(s->pattern[kind][i], name))
			return 1;
	return 0;
}

static int any_file(const struct select *s, int kind, const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	for (size_t i = 0; i < s->n[kind]; i++)
		if (!fnmatch(s->pattern[kind][i], file, 0) ||
		    !fnmatch(s->pattern[kind][i], base, 0))
			return 1;
	return 0;
}

int select_wants(const struct select *s, const char *name, const char *file)
{
	if (any_name(s, TAU_SELECT_EXCLUDE, name) ||
	    (s->n[TAU_SELECT_INCLUDE] && !any_name(s, TAU_SELECT_INCLUDE, name)))
		return 0;
	if (!file)
		return 1;
	return !any_file(s, TAU_SELECT_FILE_EXCLUDE, file) &&
	       (!s->n[TAU_SELECT_FILE_INCLUDE] || any_file(s, TAU_SELECT_FILE_INCLUDE, file));
}

/* ---- reading tables ---- */

int select_table_modules(const unsigned char *table, size_t n,
			 void (*each)(void *to, const char *path, size_t n), void *to,
			 struct error *e)
{
	const struct tau_select_header *h = (const void *)table;
	const struct tau_select_module *m = (const void *)(h + 1);

	if (n < sizeof(*h) || memcmp(h->magic, TAU_SELECT_MAGIC, sizeof(h->magic)) != 0 ||
	    h->modules > (n - sizeof(*h)) / sizeof(*m))
		return error_set(e, ERROR_INPUT, "the selection of the run is damaged");
	for (uint32_t i = 0; i < h->modules; i++)
		if (m[i].path <= n && m[i].path_n <= n - m[i].path)
			each(to, (const char *)table + m[i].path, m[i].path_n);
	return 0;
}

/* ---- the table ---- */

struct bytes_out {
	unsigned char *v;
	size_t v_n, v_cap;
};

static uint64_t put(struct bytes_out *o, const void *bytes, size_t n)
{
	uint64_t at = o->v_n;

	while (o->v_cap < o->v_n + n)
		o->v = array_grow(o->v, &o->v_cap, 1);
	if (n)
		memcpy(o->v + o->v_n, bytes, n);
	o->v_n += n;
	return at;
}

static void pad(struct bytes_out *o)
{
	static const char zeros[8];

	put(o, zeros, -o->v_n & 7);
}

struct addresses {
	uint64_t *v;
	size_t v_n, v_cap;
};

struct selected_addresses {
	const struct select *select;
	int patchable;
	struct addresses list[TAU_SELECT_LISTS];
};

/*
 * Functions that start or stop recording are never excluded. A command lists all functions that
 * match its name.
 */
static void function_select(void *to, uint64_t address, const char *name, const char *file)
{
	struct selected_addresses *f = to;
	int start = any_name(f->select, TAU_SELECT_START, name);
	int stop = any_name(f->select, TAU_SELECT_STOP, name);
	int now = any_name(f->select, TAU_SELECT_NOW_EXCLUDE, name) ||
		  any_name(f->select, TAU_SELECT_NOW_INCLUDE, name);

	if (start)
		*array_add(&f->list[TAU_LIST_START], v) = address;
	if (stop)
		*array_add(&f->list[TAU_LIST_STOP], v) = address;
	if (now || (!start && !stop && !select_wants(f->select, name, file)))
		*array_add(&f->list[TAU_LIST_OUT], v) = address;
	else if (f->patchable && any_name(f->select, PATCH, name))
		*array_add(&f->list[TAU_LIST_PATCH], v) = address;
}

static void module_put(struct bytes_out *o, size_t at, struct select *s,
		       struct symbols *symbols, const char *path)
{
	struct tau_select_module m = {0};
	struct selected_addresses found = {.select = s};
	unsigned char id[64];
	int hooks;

	m.id_n = symbols_build_id(path, id, &hooks);
	found.patchable = s->n[PATCH] && hooks & HOOKS_PATCHABLE;
	if (hooks & HOOKS_COMPILER || found.patchable)
		symbols_each(symbols, path, id, m.id_n,
			     s->n[TAU_SELECT_FILE_EXCLUDE] || s->n[TAU_SELECT_FILE_INCLUDE],
			     function_select, &found);
	m.id = put(o, id, m.id_n);
	m.path_n = strlen(path);
	m.path = put(o, path, m.path_n);
	s->patched += found.list[TAU_LIST_PATCH].v_n;
	pad(o);
	for (int i = 0; i < TAU_SELECT_LISTS; i++) {
		m.address_n[i] = found.list[i].v_n;
		m.address[i] = put(o, found.list[i].v, found.list[i].v_n * sizeof(uint64_t));
		free(found.list[i].v);
	}
	memcpy(o->v + at, &m, sizeof(m));
}

static size_t pattern_put(struct bytes_out *o, size_t at, int kind, const char *text)
{
	struct tau_select_pattern p = {(uint32_t)kind, (uint32_t)strlen(text), 0};

	p.text = put(o, text, p.length);
	memcpy(o->v + at, &p, sizeof(p));
	return at + sizeof(p);
}

static void patterns_put(struct bytes_out *o, size_t at, const struct select *s)
{
	for (int k = 0; k < TAU_SELECT_KINDS; k++)
		for (size_t i = 0; i < s->n[k]; i++)
			at = pattern_put(o, at, k, s->pattern[k][i]);
}

unsigned char *select_table(struct select *s, const char *const *path, size_t n, size_t *size)
{
	struct tau_select_header h = {.magic = TAU_SELECT_MAGIC, .modules = (uint32_t)n};
	struct symbols *symbols = symbols_new();
	struct tau_select_module none = {0};
	struct bytes_out o = {0};
	size_t modules, patterns;

	for (int k = 0; k < TAU_SELECT_KINDS; k++)
		h.patterns += (uint32_t)s->n[k];
	if (s->n[TAU_SELECT_INCLUDE])
		h.flags |= TAU_SELECT_UNKNOWN;
	put(&o, &h, sizeof(h));
	modules = o.v_n;
	for (size_t i = 0; i < n; i++)
		put(&o, &none, sizeof(none));
	patterns = o.v_n;
	for (size_t i = 0; i < h.patterns; i++)
		put(&o, &(struct tau_select_pattern){0}, sizeof(struct tau_select_pattern));
	patterns_put(&o, patterns, s);
	for (size_t i = 0; i < n; i++)
		module_put(&o, modules + i * sizeof(none), s, symbols, path[i]);
	symbols_free(symbols);
	h.size = o.v_n;
	h.crc = (uint32_t)crc32(0, o.v + sizeof(h), (uInt)(o.v_n - sizeof(h)));
	memcpy(o.v, &h, sizeof(h));
	*size = o.v_n;
	return o.v;
}
