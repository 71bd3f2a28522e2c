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

#include <endian.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/code/elf_symbols.h"
#include "convert/code/function_starts.h"

#define DEPTH_MOST     6
#define VISITED_MOST   64

enum use { USE_CALL, USE_JUMP, USE_VARIABLE, USE_ADDRESS, USES };

struct code_edge {
	uint32_t function; /* the function that is used */
	enum use how;
	uint64_t from;     /* address of the code or of the variable */
};

struct code_variable {
	uint64_t low, high;
	const char *name;
};

struct callers {
	const unsigned char *file;
	size_t size, unread; /* unread: bytes that can be code; sections of a damaged file overlap */
	uint64_t *start; /* first addresses of functions, ascending */
	size_t start_n;
	unsigned shift;  /* blocks of 2^shift bytes from start[0] on */
	size_t *below;   /* of each block and of one more: functions that begin below it */
	size_t reading;  /* the function that function_read() found last */
	struct code_edge *edge; /* at the end in the order of edge_key() */
	size_t edge_n, edge_cap;
	size_t *first; /* of each key: the first edge with it or with a larger one */
	struct code_variable *variable;
	size_t variable_n, variable_cap;
};

static uint32_t word_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The last function that begins at the address or before it; start_n: there is none. */
static size_t function_at(const struct callers *c, uint64_t address)
{
	size_t low = 0, high = c->start_n;

	if (address < c->start[0])
		return c->start_n;
	if (address <= c->start[high - 1]) {
		size_t block = (size_t)((address - c->start[0]) >> c->shift);

		low = c->below[block];
		high = c->below[block + 1];
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->start[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : c->start_n;
}

/* The same for code that is being read: mostly that of the function that was found last. */
static size_t function_read(struct callers *c, uint64_t address)
{
	size_t f = c->reading;

	if (f + 1 >= c->start_n || address < c->start[f] || address >= c->start[f + 1])
		c->reading = function_at(c, address);
	return c->reading;
}

/* Fills below: about as many blocks as functions, so that function_at() takes few steps. */
static void blocks_count(struct callers *c)
{
	uint64_t span = c->start[c->start_n - 1] - c->start[0];
	size_t i = 0, n;

	while (span >> c->shift > 2 * c->start_n)
		c->shift++;
	n = (size_t)(span >> c->shift) + 2;
	c->below = mem_alloc(n * sizeof(*c->below));
	for (size_t k = 0; k < n; k++) {
		while (i < c->start_n && (c->start[i] - c->start[0]) >> c->shift < k)
			i++;
		c->below[k] = i;
	}
}

static void edge_add(struct callers *c, uint64_t target, uint64_t from, enum use how)
{
	size_t f = function_at(c, target);

	/* a moved part may be entered anywhere, a function only at its beginning */
	if (f == c->start_n || (how != USE_JUMP && c->start[f] != target) ||
	    (how != USE_VARIABLE && function_read(c, from) == f))
		return;
	*array_add(c, edge) = (struct code_edge){(uint32_t)f, how, from};
}

/* What the operand after a byte of code may belong to. */
enum opcode { OPCODE_CALL = 1, OPCODE_JUMP, OPCODE_BRANCH, OPCODE_ADDRESS };

static void opcodes_set(unsigned char opcode[256])
{
	for (int i = 0; i < 256; i++)
		opcode[i] = (i & 0xf0) == 0x80 ? OPCODE_BRANCH
			    : (i & 0xc7) == 0x05 ? OPCODE_ADDRESS
						 : 0;
	opcode[0xe8] = OPCODE_CALL;
	opcode[0xe9] = OPCODE_JUMP;
}

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Has the first bit of each byte that is 0 set, and sometimes of a byte above one that is. */
static uint64_t zero_bytes(uint64_t v)
{
	return (v - EACH_BYTE(0x01)) & ~v & EACH_BYTE(0x80);
}

static uint64_t bytes_at(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* Has a bit in each of the eight bytes from p on that can be the last of an opcode: few are. */
static uint64_t opcodes_near(const unsigned char *p)
{
	uint64_t at = bytes_at(p), before = bytes_at(p - 1);

	return zero_bytes((at ^ EACH_BYTE(0xe8)) & EACH_BYTE(0xfe)) |
	       zero_bytes(((at & EACH_BYTE(0xf0)) ^ EACH_BYTE(0x80)) | (before ^ EACH_BYTE(0x0f))) |
	       zero_bytes(((at & EACH_BYTE(0xc7)) ^ EACH_BYTE(0x05)) | (before ^ EACH_BYTE(0x8d)));
}

/* p: the operand of what may be an instruction; from: its address. */
static void operand_read(struct callers *c, const unsigned char *p, uint64_t from,
			 const unsigned char opcode[256])
{
	unsigned char at = opcode[p[-1]];
	enum use how = USE_JUMP;

	if (!at || (at == OPCODE_BRANCH && p[-2] != 0x0f) ||
	    (at == OPCODE_ADDRESS && p[-2] != 0x8d))
		return;
	if (at == OPCODE_CALL)
		how = USE_CALL;
	else if (at == OPCODE_ADDRESS)
		how = USE_ADDRESS;
	edge_add(c, from + 4 + (uint64_t)(int64_t)(int32_t)word_at(p), from, how);
}

/* Reads the code in bytes of the file that are loaded at an address. */
static void code_read(struct callers *c, uint64_t offset, uint64_t bytes, uint64_t address)
{
	const unsigned char *p;
	unsigned char opcode[256];
	size_t i = 2;

	if (offset > c->size || bytes > c->size - offset || bytes > c->unread)
		return;
	p = c->file + offset;
	c->unread -= bytes;
	opcodes_set(opcode);
	for (; i + 12 <= bytes; i += 8)
		for (uint64_t near = opcodes_near(p + i - 1); near; near &= near - 1) {
			size_t k = i + (size_t)__builtin_ctzll(near) / 8;

			operand_read(c, p + k, address + k, opcode);
		}
	for (; i + 4 <= bytes; i++)
		operand_read(c, p + i, address + i, opcode);
}

/* Functions that the loader calls are in a separate table. */
static void constructors_read(struct callers *c, const GElf_Shdr *h)
{
	*array_add(c, variable) = (struct code_variable){h->sh_addr, h->sh_addr + h->sh_size,
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

static void variables_read(struct callers *c, Elf *elf)
{
	struct elf_symbols s = {.elf = elf, .kind = SHT_DYNSYM};

	while (elf_symbols_next(&s)) {
		const GElf_Sym *sym = &s.symbol;
		const char *name;

		if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT || !sym->st_size ||
		    sym->st_shndx == SHN_UNDEF)
			continue;
		name = elf_symbols_name(&s);
		if (name)
			*array_add(c, variable) = (struct code_variable){
				sym->st_value, sym->st_value + sym->st_size, name};
	}
}

static size_t edge_key(size_t function, enum use how)
{
	return function * USES + how;
}

static void edges_sort(struct callers *c)
{
	size_t keys = c->start_n * USES, sum = 0;
	size_t *first = mem_alloc((keys + 2) * sizeof(*first));
	struct code_edge *sorted = mem_alloc((c->edge_n + 1) * sizeof(*sorted));

	for (size_t i = 0; i < c->edge_n; i++)
		first[edge_key(c->edge[i].function, c->edge[i].how) + 2]++;
	for (size_t i = 0; i < keys + 2; i++)
		first[i] = sum += first[i];
	for (size_t i = 0; i < c->edge_n; i++)
		sorted[first[edge_key(c->edge[i].function, c->edge[i].how) + 1]++] = c->edge[i];
	free(c->edge);
	c->edge = sorted;
	c->first = first;
}

struct callers *callers_new(Elf *elf)
{
	struct callers *c = mem_alloc(sizeof(*c));
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Phdr h;
	GElf_Shdr s;
	size_t n = 0;
	int sections = 0;

	c->file = (const unsigned char *)elf_rawfile(elf, &c->size);
	c->unread = c->size;
	if (c->file && gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64)
		c->start_n = function_starts(elf, &c->start);
	if (!c->start_n) {
		callers_free(c);
		return NULL;
	}
	blocks_count(c);
	elf_getphdrnum(elf, &n);
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &s))
			continue;
		if (s.sh_type == SHT_PROGBITS && s.sh_flags & SHF_EXECINSTR) {
			code_read(c, s.sh_offset, s.sh_size, s.sh_addr);
			sections = 1;
		}
		if (!s.sh_entsize)
			continue;
		if (s.sh_type == SHT_RELA)
			relocations_read(c, section, &s);
		else if (s.sh_type == SHT_INIT_ARRAY)
			constructors_read(c, &s);
	}
	variables_read(c, elf);
	/* without a table of sections: what is loaded to be executed, which may contain data as well */
	for (size_t i = 0; i < n && !sections; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD && h.p_flags & PF_X)
			code_read(c, h.p_offset, h.p_filesz, h.p_vaddr);
	edges_sort(c);
	return c;
}

void callers_free(struct callers *c)
{
	if (!c)
		return;
	free(c->start);
	free(c->below);
	free(c->edge);
	free(c->first);
	free(c->variable);
	free(c);
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

static void search_add(const struct callers *c, struct search *s, uint64_t address, int depth)
{
	const size_t function = function_at(c, address);

	if (function == c->start_n)
		return;
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
	struct search s = {.n = 0};
	int held = 0;

	search_add(c, &s, address, 0);
	for (size_t i = 0; i < s.n; i++)
		for (size_t k = c->first[edge_key(s.function[i], 0)];
		     k < c->first[edge_key(s.function[i] + 1, 0)]; k++) {
			const struct code_edge *e = &c->edge[k];
			const char *user = e->how == USE_VARIABLE ? variable_at(c, e->from)
								  : name(to, e->from);

			if (user)
				return mem_printf("static function at 0x%llx, %s %s",
						  (unsigned long long)address,
						  s.depth[i] ? "below" : words[e->how], user);
			held |= e->how == USE_VARIABLE;
			if (e->how != USE_VARIABLE)
				search_add(c, &s, e->from, s.depth[i] + 1);
		}
	return held ? mem_printf("static function at 0x%llx, %s a variable without a name",
				 (unsigned long long)address, s.n > 1 ? "below" : "in")
		    : NULL;
}
