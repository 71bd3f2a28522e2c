/* symbols.c: looks up the names of functions in ELF symbol tables and DWARF. */
#include "convert/code/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "analyze/base/map.h"
#include "convert/code/callers.h"
#include "convert/code/demangle.h"
#include "convert/code/hooks.h"
#include "convert/code/inlines.h"

#define PLACE_MOST 32		/* limit of the functions at one address that are inlined into
				 * each other */
#define DEBUG_ROOT "/usr/lib/debug/.build-id"

/* One function, from a symbol or from the debug information. */
struct function {
	uint64_t low, high;	/* ELF virtual addresses, [low, high); high == low: size unknown */
	const char *name;	/* borrowed from the ELF file; NULL: only in the debug
				 * information */
	const char *file;
	uint32_t line;
	int weak;		/* a smaller value is preferred */
};

struct functions {
	struct function *v;
	size_t v_n, v_cap;
	int sorted;
};

/* The ELF file of a module and the file with its debug information, which may be the same. */
struct elf_file {
	int fd;
	Elf *elf;
};

struct module {
	char *path;
	unsigned char *build_id;
	size_t build_id_n;
	struct elf_file file, debug;
	Dwarf *dwarf;
	struct functions symbols, debug_functions;
	struct map units;	/* offsets of compilation units that have been read */
	struct map known;	/* address -> index into answers */
	struct callers *callers;	/* NULL: not looked up, or nothing is known */
	int callers_read;
};

struct answer {
	char *name, *file;
	uint32_t line;
};

/* The result of symbols_place(). */
struct place {
	struct trace_code *code;
	char **name;		/* those that were made readable; NULL: as in the binary */
	size_t n;
};

struct symbols {
	struct module **module;
	size_t module_n, module_cap;
	struct answer *answer;
	size_t answer_n, answer_cap;
	char **note;
	size_t note_n, note_cap;
	struct place *place;
	size_t place_n, place_cap;
	struct map nowhere;	/* addresses in no module -> index into answers */
};

/* ---- files ---- */

static int elf_open(struct elf_file *f, const char *path)
{
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return -1;
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
		return 0;
	elf_end(f->elf);
	close(f->fd);
	f->elf = NULL;
	return -1;
}

static void elf_close(struct elf_file *f)
{
	if (!f->elf)
		return;
	elf_end(f->elf);
	close(f->fd);
}

static int build_id_matches(Elf *elf, const struct module *m)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

	return !m->build_id_n ||
	       (n == (ssize_t)m->build_id_n && !memcmp(id, m->build_id, m->build_id_n));
}

/* Opens the separate debug file that distributions install below /usr/lib/debug. */
static void debug_open(struct module *m)
{
	char path[sizeof(DEBUG_ROOT) + 2 * 64 + 16], *p = path;

	if (m->build_id_n < 2 || m->build_id_n > 64)
		return;
	p += sprintf(p, "%s/%02x/", DEBUG_ROOT, m->build_id[0]);
	for (size_t i = 1; i < m->build_id_n; i++)
		p += sprintf(p, "%02x", m->build_id[i]);
	strcpy(p, ".debug");
	if (elf_open(&m->debug, path))
		return;
	if (!build_id_matches(m->debug.elf, m)) {
		elf_close(&m->debug);
		m->debug.elf = NULL;
	}
}

static void symbols_say(struct symbols *s, const char *path, const char *what)
{
	*array_add(s, note) = mem_printf("%s: %s; its functions are named by address", path, what);
}

/* ---- symbol tables ---- */

static int symbol_weak(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

/*
 * Adds the functions of the table of one kind (SHT_SYMTAB or SHT_DYNSYM). Returns their number. If
 * a function is defined elsewhere and still has a value, its address is here for all modules: a
 * program with a fixed address has taken it.
 */
static size_t table_read(struct functions *to, Elf *elf, GElf_Word kind)
{
	size_t before = to->v_n;
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != kind || !header.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize && i < INT32_MAX;
		     i++) {
			GElf_Sym sym;
			const char *name;
			struct function *f;

			if (!gelf_getsym(data, (int)i, &sym) ||
			    GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
			    (sym.st_shndx == SHN_UNDEF && !sym.st_value))
				continue;
			name = elf_strptr(elf, header.sh_link, sym.st_name);
			if (!name || !*name)
				continue;
			f = array_add(to, v);
			f->low = sym.st_value;
			f->high = sym.st_value + sym.st_size;
			f->name = name;
			f->weak = symbol_weak(&sym);
		}
	}
	return to->v_n - before;
}

/*
 * Order by address; for equal addresses the strongest symbol first, then the shortest name, then
 * alphabetically.
 */
static int function_compare(const void *va, const void *vb)
{
	const struct function *a = va, *b = vb;
	size_t an, bn;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->weak != b->weak)
		return a->weak - b->weak;
	if (!a->name || !b->name)
		return 0;
	an = strlen(a->name);
	bn = strlen(b->name);
	return an != bn ? (an < bn ? -1 : 1) : strcmp(a->name, b->name);
}

/* The function at an address, or NULL. A function without a size covers its first byte only. */
static const struct function *function_find(struct functions *t, uint64_t address)
{
	size_t low = 0, high = t->v_n;

	if (!t->sorted && t->v_n)
		qsort(t->v, t->v_n, sizeof(*t->v), function_compare);
	t->sorted = 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->v[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	/* the first of the functions with the same address */
	for (low--; low && t->v[low - 1].low == t->v[low].low; low--)
		;
	for (; low < t->v_n && t->v[low].low <= address; low++)
		if (address < t->v[low].high || address == t->v[low].low)
			return &t->v[low];
	return NULL;
}

/* ---- debug information ---- */

static int unit_function(Dwarf_Die *die, void *to)
{
	struct functions *functions = to;
	const char *file = dwarf_decl_file(die);
	Dwarf_Addr low, high;
	struct function *f;
	int line = 0;

	if (dwarf_entrypc(die, &low) || !file || dwarf_decl_line(die, &line) || line <= 0)
		return DWARF_CB_OK;
	if (dwarf_highpc(die, &high))
		high = low;
	f = array_add(functions, v);
	f->low = low;
	f->high = high;
	f->file = file;
	f->line = (uint32_t)line;
	functions->sorted = 0;
	return DWARF_CB_OK;
}

/* The compilation unit of an address; without a table of ranges, all units are searched. */
static int unit_find(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t kind;

	if (dwarf_addrdie(dwarf, address, unit))
		return 0;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &die, &sub)) {
		if (dwarf_haspc(&die, address) > 0) {
			*unit = die;
			return 0;
		}
	}
	return -1;
}

static const struct function *debug_find(struct module *m, uint64_t address)
{
	const struct function *f = function_find(&m->debug_functions, address);
	Dwarf_Die unit;

	if (f || !m->dwarf || unit_find(m->dwarf, address, &unit))
		return f;
	if (map_get(&m->units, dwarf_dieoffset(&unit)) == MAP_NONE) {
		map_set(&m->units, dwarf_dieoffset(&unit), 1);
		dwarf_getfuncs(&unit, unit_function, &m->debug_functions, 0);
	}
	return function_find(&m->debug_functions, address);
}

/* ---- modules ---- */

static struct module *module_get(struct symbols *s, const char *path, const unsigned char *id,
				 size_t n)
{
	struct module *m;

	for (size_t i = 0; i < s->module_n; i++) {
		m = s->module[i];
		if (!strcmp(m->path, path) && m->build_id_n == n &&
		    (!n || !memcmp(m->build_id, id, n)))
			return m;
	}
	m = mem_alloc(sizeof(*m));
	*array_add(s, module) = m;
	m->path = mem_string(path);
	m->build_id = mem_alloc(n);
	if (n)
		memcpy(m->build_id, id, n);
	m->build_id_n = n;
	if (elf_open(&m->file, path)) {
		debug_open(m);
		if (!m->debug.elf)
			symbols_say(s, path, "cannot be read as a binary");
	} else if (!build_id_matches(m->file.elf, m)) {
		elf_close(&m->file);
		m->file.elf = NULL;
		debug_open(m);
		if (!m->debug.elf)
			symbols_say(s, path, "has changed since the recording (another build id)");
	} else {
		debug_open(m);
	}
	if (m->debug.elf)
		table_read(&m->symbols, m->debug.elf, SHT_SYMTAB);
	if (m->file.elf && !m->symbols.v_n && !table_read(&m->symbols, m->file.elf, SHT_SYMTAB))
		table_read(&m->symbols, m->file.elf, SHT_DYNSYM);
	if (m->debug.elf)
		m->dwarf = dwarf_begin_elf(m->debug.elf, DWARF_C_READ, NULL);
	if (!m->dwarf && m->file.elf)
		m->dwarf = dwarf_begin_elf(m->file.elf, DWARF_C_READ, NULL);
	return m;
}

static uint32_t answer_add(struct symbols *s, char *name, const char *file, uint32_t line)
{
	struct answer *a = array_add(s, answer);

	a->name = name;
	a->file = file ? mem_string(file) : NULL;
	a->line = line;
	return (uint32_t)s->answer_n - 1;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * A function that the compiler made has no declaration (main._omp_fn.0 of OpenMP): the first line
 * of its code is used instead. 0: unknown.
 */
static int made_place(struct module *m, uint64_t address, struct function *to)
{
	Dwarf_Die unit;

	return m->dwarf && !unit_find(m->dwarf, address, &unit) &&
	       inlines_line(&unit, address, &to->file, &to->line);
}

static uint32_t module_answer(struct symbols *s, struct module *m, uint64_t address)
{
	const struct function *f = function_find(&m->symbols, address), *d;
	struct function made = {0};
	char *readable, *name;

	if (!f)
		return answer_add(s, mem_printf("addr=<0x%llx> [%s]", (unsigned long long)address,
						base_name(m->path)), NULL, 0);
	readable = demangle(f->name);
	d = debug_find(m, f->low);
	if (!d && made_place(m, f->low, &made))
		d = &made;
	if (d)
		name = mem_printf("%s [{%s} {%u,0}]", readable ? readable : f->name, d->file,
				  d->line);
	else
		name = mem_string(readable ? readable : f->name);
	free(readable);
	return answer_add(s, name, d ? d->file : NULL, d ? d->line : 0);
}

/* ---- interface ---- */

struct symbols *symbols_new(void)
{
	elf_version(EV_CURRENT);
	return mem_alloc(sizeof(struct symbols));
}

struct symbol symbols_get(struct symbols *s, const char *path, const unsigned char *build_id,
			  size_t build_id_n, uint64_t bias, uint64_t address)
{
	struct module *m = path ? module_get(s, path, build_id, build_id_n) : NULL;
	uint64_t in_file = m ? address - bias : address;
	struct map *known = m ? &m->known : &s->nowhere;
	uint32_t at = map_get(known, in_file);

	if (at == MAP_NONE) {
		at = m ? module_answer(s, m, in_file)
		       : answer_add(s, mem_printf("addr=<0x%llx>", (unsigned long long)address),
				    NULL, 0);
		map_set(known, in_file, at);
	}
	return (struct symbol){ s->answer[at].name, s->answer[at].file, s->answer[at].line };
}

size_t symbols_each(struct symbols *s, const char *path, const unsigned char *build_id,
		    size_t build_id_n, int files,
		    void (*each)(void *to, uint64_t address, const char *name, const char *file),
		    void *to)
{
	struct module *m = module_get(s, path, build_id, build_id_n);
	const struct function *f, *d;
	size_t n = 0;

	function_find(&m->symbols, 0);	/* sorts */
	for (size_t i = 0; i < m->symbols.v_n; i++) {
		char *readable;

		f = &m->symbols.v[i];
		if (i && f->low == f[-1].low)
			continue;
		readable = demangle(f->name);
		d = files ? debug_find(m, f->low) : NULL;
		each(to, f->low, readable ? readable : f->name, d ? d->file : NULL);
		free(readable);
		n++;
	}
	return n;
}

size_t symbols_build_id(const char *path, unsigned char out[64], int *hooks)
{
	struct elf_file f = { 0 };
	const void *id;
	ssize_t n;

	*hooks = 0;
	elf_version(EV_CURRENT);
	if (elf_open(&f, path))
		return 0;
	*hooks = hooks_find(f.elf);
	n = dwelf_elf_gnu_build_id(f.elf, &id);
	if (n < 0 || n > 64)
		n = 0;
	memcpy(out, id, (size_t)n);
	elf_close(&f);
	return (size_t)n;
}

/* Sets one function of a place, with its name made readable and without a version. */
static void place_set(struct place *p, size_t i, const struct inlined *in, const char *module)
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

struct trace_place symbols_place(struct symbols *s, const char *path, const unsigned char *build_id,
				 size_t build_id_n, uint64_t address)
{
	struct inlined in[PLACE_MOST] = { { 0 } };
	struct module *m = path[0] == '/' ? module_get(s, path, build_id, build_id_n) : NULL;
	const struct function *f = m ? function_find(&m->symbols, address) : NULL;
	struct place *p = array_add(s, place);
	Dwarf_Die unit;

	if (m && m->dwarf && !unit_find(m->dwarf, address, &unit))
		p->n = inlines_get(&unit, address, in, PLACE_MOST);
	if (!p->n)
		p->n = 1;
	if (f)
		in[p->n - 1].name = f->name;
	p->code = mem_alloc(p->n * sizeof(*p->code));
	p->name = mem_alloc(p->n * sizeof(*p->name));
	for (size_t i = 0; i < p->n; i++)
		place_set(p, i, &in[i], m ? m->path : path);
	return (struct trace_place){ p->code, p->n };
}

static const char *module_symbol(void *to, uint64_t address)
{
	struct module *m = to;
	const struct function *f = function_find(&m->symbols, address);

	return f ? f->name : NULL;
}

char *symbols_callers(struct symbols *s, const char *path, const unsigned char *build_id,
		      size_t build_id_n, uint64_t address)
{
	struct module *m = path[0] == '/' ? module_get(s, path, build_id, build_id_n) : NULL;

	if (!m || !m->file.elf)
		return NULL;
	if (!m->callers_read)
		m->callers = callers_new(m->file.elf);
	m->callers_read = 1;
	return m->callers ? callers_words(m->callers, address, module_symbol, m) : NULL;
}

size_t symbols_note_n(const struct symbols *s)
{
	return s->note_n;
}

const char *symbols_note(const struct symbols *s, size_t i)
{
	return s->note[i];
}

void symbols_free(struct symbols *s)
{
	for (size_t i = 0; i < s->module_n; i++) {
		struct module *m = s->module[i];

		callers_free(m->callers);
		dwarf_end(m->dwarf);
		elf_close(&m->debug);
		elf_close(&m->file);
		map_release(&m->units);
		map_release(&m->known);
		free(m->symbols.v);
		free(m->debug_functions.v);
		free(m->path);
		free(m->build_id);
		free(m);
	}
	for (size_t i = 0; i < s->answer_n; i++) {
		free(s->answer[i].name);
		free(s->answer[i].file);
	}
	for (size_t i = 0; i < s->place_n; i++) {
		for (size_t k = 0; k < s->place[i].n; k++)
			free(s->place[i].name[k]);
		free(s->place[i].name);
		free(s->place[i].code);
	}
	free(s->place);
	for (size_t i = 0; i < s->note_n; i++)
		free(s->note[i]);
	map_release(&s->nowhere);
	free(s->module);
	free(s->answer);
	free(s->note);
	free(s);
}

