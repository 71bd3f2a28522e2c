/*
 * callers.c: finds the users of a function in the code of a binary.
 *
 * .eh_frame_hdr has the first address of each function, with or without a name. The operand of a
 * call, of a jump to another function and of an instruction that takes an address is four bytes
 * after the opcode, relative to the byte after the operand:
 *
 *  E8 rel32          call      the function is called
 *  E9, 0F 8x rel32   jump      it is called last, or the compiler has moved a part of the function
 *  8D mod rel32      lea       its address is passed on or stored
 *
 * Other bytes that look the same hardly ever have the first byte of a function as target.
 * Relocations show which variables contain an address (R_X86_64_RELATIVE: the value is base +
 * addend).
 */
#include "convert/code/callers.h"

#include <gelf.h>
#include <string.h>

#include "analyze/base/base.h"

#define TABLE_ENCODING 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define COUNT_ENCODING 0x03 /* DW_EH_PE_udata4 */
#define DEPTH_MOST     6
#define VISITED_MOST   64

enum use { USE_CALL, USE_JUMP, USE_VARIABLE, USE_ADDRESS };

struct edge {
	uint32_t function; /* the function that is used */
	enum use how;
	uint64_t from;     /* address of the code or of the variable */
};

struct variable {
	uint64_t low, high;
	const char *name;
};

struct callers {
	const unsigned char *file;
	size_t size;
	uint64_t *start; /* first addresses of functions, ascending */
	size_t start_n;
	struct edge *edge;
	size_t edge_n, edge_cap;
	struct variable *variable;
	size_t variable_n, variable_cap;
};

static uint32_t word_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The last function that begins at the address or before it; start_n: there is none. */
static size_t function_at(const struct callers *c, uint64_t address)
{
	size_t low = 0, high = c->start_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->start[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : c->start_n;
}

/* Reads the table in the program header. 0: there is none, or it cannot be read. */
static int functions_read(struct callers *c, const GElf_Phdr *h)
{
	const unsigned char *p = c->file + h->p_offset;
	size_t n;

	if (h->p_offset > c->size || h->p_filesz > c->size - h->p_offset || h->p_filesz < 12 ||
	    p[0] != 1 || p[2] != COUNT_ENCODING || p[3] != TABLE_ENCODING)
		return 0;
	n = word_at(p + 8);
	if (n > (h->p_filesz - 12) / 8)
		return 0;
	free(c->start);
	c->start = mem_alloc((n + 1) * sizeof(*c->start));
	for (size_t i = 0; i < n; i++)
		c->start[i] = h->p_vaddr + (uint64_t)(int64_t)(int32_t)word_at(p + 12 + 8 * i);
	c->start_n = n;
	if (n)
		qsort(c->start, n, sizeof(*c->start), compare_addresses);
	return n > 0;
}

static void edge_add(struct callers *c, uint64_t target, uint64_t from, enum use how)
{
	size_t f = function_at(c, target);

	/* a moved part may be entered anywhere, a function only at its beginning */
	if (f == c->start_n || (how != USE_JUMP && c->start[f] != target) ||
	    (how != USE_VARIABLE && function_at(c, from) == f))
		return;
	*array_add(c, edge) = (struct edge){(uint32_t)f, how, from};
}

static void code_read(struct callers *c, const GElf_Phdr *h)
{
	const unsigned char *p = c->file + h->p_offset;

	if (h->p_offset > c->size || h->p_filesz > c->size - h->p_offset)
		return;
	for (size_t i = 2; i + 4 <= h->p_filesz; i++) {
		uint64_t from = h->p_vaddr + i,
			 target = from + 4 + (uint64_t)(int64_t)(int32_t)word_at(p + i);

		if (p[i - 1] == 0xe8)
			edge_add(c, target, from, USE_CALL);
		else if (p[i - 1] == 0xe9 || (p[i - 2] == 0x0f && (p[i - 1] & 0xf0) == 0x80))
			edge_add(c, target, from, USE_JUMP);
		else if (p[i - 2] == 0x8d && (p[i - 1] & 0xc7) == 0x05)
			edge_add(c, target, from, USE_ADDRESS);
	}
}

/* Functions that the loader calls are in a separate table. */
static void constructors_read(struct callers *c, const GElf_Shdr *h)
{
	*array_add(c, variable) = (struct variable){h->sh_addr, h->sh_addr + h->sh_size,
						    "the table of constructors"};
}

static void relocations_read(struct callers *c, Elf_Scn *section, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela r;

	for (size_t i = 0; data && i < h->sh_size / h->sh_entsize && i < INT32_MAX; i++)
		if (gelf_getrela(data, (int)i, &r) && GELF_R_TYPE(r.r_info) == R_X86_64_RELATIVE)
			edge_add(c, (uint64_t)r.r_addend, r.r_offset, USE_VARIABLE);
}

static void variables_read(struct callers *c, Elf *elf, Elf_Scn *section, const GElf_Shdr *h)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;

	for (size_t i = 0; data && i < h->sh_size / h->sh_entsize && i < INT32_MAX; i++) {
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_OBJECT ||
		    !sym.st_size || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, h->sh_link, sym.st_name);
		if (name && *name)
			*array_add(c, variable) = (struct variable){
				sym.st_value, sym.st_value + sym.st_size, name};
	}
}

static int compare_edges(const void *va, const void *vb)
{
	const struct edge *a = va, *b = vb;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->how != b->how)
		return a->how < b->how ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

struct callers *callers_new(Elf *elf)
{
	struct callers *c = mem_alloc(sizeof(*c));
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Phdr h;
	GElf_Shdr s;
	size_t n = 0;
	int found = 0;

	c->file = (const unsigned char *)elf_rawfile(elf, &c->size);
	if (c->file && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64)
		elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_GNU_EH_FRAME)
			found = functions_read(c, &h);
	if (!found) {
		callers_free(c);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD && h.p_flags & PF_X)
			code_read(c, &h);
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &s) || !s.sh_entsize)
			continue;
		if (s.sh_type == SHT_RELA)
			relocations_read(c, section, &s);
		else if (s.sh_type == SHT_INIT_ARRAY)
			constructors_read(c, &s);
		else if (s.sh_type == SHT_DYNSYM)
			variables_read(c, elf, section, &s);
	}
	if (c->edge_n)
		qsort(c->edge, c->edge_n, sizeof(*c->edge), compare_edges);
	return c;
}

void callers_free(struct callers *c)
{
	if (!c)
		return;
	free(c->start);
	free(c->edge);
	free(c->variable);
	free(c);
}

static size_t first_edge(const struct callers *c, size_t function)
{
	size_t low = 0, high = c->edge_n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->edge[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const char *variable_at(const struct callers *c, uint64_t address)
{
	for (size_t i = 0; i < c->variable_n; i++)
		if (address >= c->variable[i].low && address < c->variable[i].high)
			return c->variable[i].name;
	return NULL;
}

/* Functions whose users are still to be searched, the nearest to the first one first. */
struct search {
	size_t function[VISITED_MOST], n;
	int depth[VISITED_MOST];
};

static void search_add(struct search *s, size_t function, int depth)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->function[i] == function)
			return;
	if (s->n == VISITED_MOST || depth > DEPTH_MOST)
		return;
	s->function[s->n] = function;
	s->depth[s->n++] = depth;
}

char *callers_words(const struct callers *c, uint64_t address,
		    const char *(*name)(void *to, uint64_t address), void *to)
{
	static const char *const words[] = {
		[USE_CALL] = "called by", [USE_JUMP] = "called by", [USE_VARIABLE] = "in",
		[USE_ADDRESS] = "used by"};
	size_t first = function_at(c, address);
	struct search s = {.n = 0};
	int held = 0;

	if (first == c->start_n)
		return NULL;
	search_add(&s, first, 0);
	for (size_t i = 0; i < s.n; i++)
		for (size_t k = first_edge(c, s.function[i]);
		     k < c->edge_n && c->edge[k].function == s.function[i]; k++) {
			const struct edge *e = &c->edge[k];
			const char *user = e->how == USE_VARIABLE ? variable_at(c, e->from)
								  : name(to, e->from);

			if (user)
				return mem_printf("static function at 0x%llx, %s %s",
						  (unsigned long long)address,
						  s.depth[i] ? "below" : words[e->how], user);
			held |= e->how == USE_VARIABLE;
			if (e->how != USE_VARIABLE)
				search_add(&s, function_at(c, e->from), s.depth[i] + 1);
		}
	return held ? mem_printf("static function at 0x%llx, %s a variable without a name",
				 (unsigned long long)address, s.n > 1 ? "below" : "in")
		    : NULL;
}
