/*
 * variable.c: the global variables of loaded objects, by the dynamic symbol tables that they are loaded with.
 *
 * Static variables have no name there: those of a library count as one.
 */
#include <link.h>
#include <string.h>
#include "area.h"
#include "census.h"
#include "library.h"
#include "owner.h"
#include "census_read.h"

#define SYMBOLS_AT_ONCE 256
#define NAME_MOST 96

/* The symbols, as the dynamic section describes them. */
struct variable_table {
	uintptr_t symbols, names;
	size_t symbol_n, name_bytes;
};

/* The linker has made its words addresses, but not in the kernel's own object. */
static uintptr_t loaded(const struct library_segment *s, uintptr_t word)
{
	return word < s->base ? s->base + word : word;
}

/* The names follow the symbols, which have no count of their own. */
static int table_find(const struct library_segment *s, struct variable_table *t)
{
	const ElfW(Phdr) *h = s->headers;
	ElfW(Dyn) d = { 0 };
	uintptr_t at = 0;
	uint32_t i;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < s->header_n; i++)
		if (h[i].p_type == PT_DYNAMIC)
			at = s->base + h[i].p_vaddr;
	for (; at && census_read(&d, at, sizeof(d)) == sizeof(d) && d.d_tag; at += sizeof(d)) {
		if (d.d_tag == DT_SYMTAB)
			t->symbols = loaded(s, d.d_un.d_ptr);
		if (d.d_tag == DT_STRTAB)
			t->names = loaded(s, d.d_un.d_ptr);
		if (d.d_tag == DT_STRSZ)
			t->name_bytes = d.d_un.d_val;
	}
	if (!t->symbols || t->names < t->symbols || segment_known(t->symbols) == NULL)
		return 0;
	t->symbol_n = (t->names - t->symbols) / sizeof(ElfW(Sym));
	return 1;
}

static uint32_t variable_add(struct graph *g, unsigned library, const char *name, uint32_t whole)
{
	struct variable *v =
		area_grow(g->variable, g->variable_n, &g->variable_room, sizeof(*v));

	if (!v)
		return whole;
	g->variable = v;
	v[g->variable_n] = (struct variable){ name, whole, (uint16_t)library };
	return (uint32_t)g->variable_n++;
}

static const char *name_copy(const struct variable_table *t, size_t at)
{
	size_t left = at < t->name_bytes ? t->name_bytes - at : 0;
	char text[NAME_MOST] = "", *name;

	if (left >= sizeof(text))
		left = sizeof(text) - 1;
	if (census_read(text, t->names + at, left) != left || !*text)
		return NULL;
	name = area_bytes(strlen(text) + 1);
	return name ? strcpy(name, text) : NULL;
}

/* The first global at or after an address. */
static size_t global_find(const struct global *at, size_t n, uintptr_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (at[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Globals that a symbol covers, and that no other has: several may have one address. */
static void symbol_put(struct graph *g, size_t first, size_t n, uint32_t whole,
		       const struct library_segment *s, const struct variable_table *t,
		       const ElfW(Sym) * symbol)
{
	struct global *at = g->global + first;
	uint32_t variable = whole;
	uintptr_t begin = s->base + symbol->st_value;
	const char *name;
	size_t i;

	if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || !symbol->st_shndx)
		return;
	for (i = global_find(at, n, begin); i < n && at[i].address - begin < symbol->st_size; i++) {
		if (at[i].variable != whole)
			continue;
		name = variable == whole ? name_copy(t, symbol->st_name) : NULL;
		if (name)
			variable = variable_add(g, g->variable[whole].library, name, whole);
		at[i].variable = variable;
	}
}

/* Of one loaded object; whole: the first of its variables. */
static void symbols_put(struct graph *g, size_t first, size_t n, uint32_t whole,
			const struct library_segment *s)
{
	ElfW(Sym) symbol[SYMBOLS_AT_ONCE];
	struct variable_table t;
	size_t i, k, more;

	if (!table_find(s, &t))
		return;
	for (i = 0; i < t.symbol_n; i += more) {
		more = t.symbol_n - i < SYMBOLS_AT_ONCE ? t.symbol_n - i : SYMBOLS_AT_ONCE;
		if (census_read(symbol, t.symbols + i * sizeof(*symbol), more * sizeof(*symbol)) !=
		    more * sizeof(*symbol))
			return;
		for (k = 0; k < more; k++)
			symbol_put(g, first, n, whole, s, &t, &symbol[k]);
	}
}

void variables_find(struct graph *g)
{
	const struct library_segment *s;
	size_t i, n, k;
	uint32_t whole;

	for (i = 0; i < g->global_n; i += n) {
		s = segment_known(g->global[i].address);
		for (n = 0; i + n < g->global_n; n++) {
			const struct library_segment *next =
				segment_known(g->global[i + n].address);

			if (!next || !s || next->base != s->base)
				break;
		}
		n += !n;
		whole = variable_add(g, s ? s->library : 0, NULL, (uint32_t)g->variable_n);
		for (k = 0; k < n; k++)
			g->global[i + k].variable = whole;
		if (s)
			symbols_put(g, i, n, whole, s);
	}
}
