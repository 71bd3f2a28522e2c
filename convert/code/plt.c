/* plt.c: finds the entries of a procedure linkage table through which functions chosen at start are called. */
#include "convert/code/plt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/code/elf_symbols.h"

/* A word that the loader fills with what the resolver at an address returns. */
struct plt_slot {
	uint64_t at, resolver;
};

struct slots {
	struct plt_slot *v;
	size_t v_n, v_cap;
};

static int resolved(GElf_Half machine, GElf_Xword info)
{
	return (machine == EM_X86_64 && GELF_R_TYPE(info) == R_X86_64_IRELATIVE) ||
	       (machine == EM_AARCH64 && GELF_R_TYPE(info) == R_AARCH64_IRELATIVE);
}

static void slot_add(struct slots *to, GElf_Half machine, const GElf_Rela *r)
{
	if (resolved(machine, r->r_info))
		*array_add(to, v) = (struct plt_slot){r->r_offset, (uint64_t)r->r_addend};
}

static void slots_read(struct slots *to, Elf *elf, GElf_Half machine)
{
	int whole = gelf_getclass(elf) == ELFCLASS64;
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	GElf_Rela r;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_RELA || !h.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		if (data && whole && data->d_type == ELF_T_RELA && data->d_buf &&
		    (uintptr_t)data->d_buf % sizeof(uint64_t) == 0) {
			const Elf64_Rela *v = data->d_buf;

			for (size_t i = 0; i < data->d_size / sizeof(*v); i++)
				slot_add(to, machine, &v[i]);
			continue;
		}
		for (size_t i = 0; data && i < h.sh_size / h.sh_entsize && i < INT32_MAX; i++)
			if (gelf_getrela(data, (int)i, &r))
				slot_add(to, machine, &r);
	}
}

/* Names by the address of their resolver. */
struct chosen {
	uint64_t resolver;
	const char *name;
};

struct chosen_names {
	struct chosen *v;
	size_t v_n, v_cap;
};

static void names_read(struct chosen_names *to, Elf *elf, GElf_Word kind)
{
	struct elf_symbols s = {.elf = elf, .kind = kind};

	while (elf_symbols_next(&s))
		if (GELF_ST_TYPE(s.symbol.st_info) == STT_GNU_IFUNC && elf_symbols_name(&s))
			*array_add(to, v) =
				(struct chosen){s.symbol.st_value, elf_symbols_name(&s)};
}

/* Both begin with the number that they are sorted and found by. */
static int number_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static const char *name_of_word(const struct slots *slots, const struct chosen_names *names,
				uint64_t word)
{
	const struct plt_slot *slot =
		bsearch(&word, slots->v, slots->v_n, sizeof(*slots->v), number_compare);
	const struct chosen *c = slot ? bsearch(&slot->resolver, names->v, names->v_n,
						sizeof(*names->v), number_compare)
				      : NULL;

	return c ? c->name : NULL;
}

/* A jump through a word, at bytes[i]: the word's address and where the entry begins; 0: there is none. */
static uint64_t jump_x86(const unsigned char *bytes, size_t n, size_t i, uint64_t at, size_t *begin)
{
	static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
	int32_t distance;

	if (n - i < 6 || bytes[i] != 0xff || bytes[i + 1] != 0x25)
		return 0;
	memcpy(&distance, bytes + i + 2, sizeof(distance));
	*begin = i;
	if (*begin && bytes[*begin - 1] == 0xf2)
		--*begin;
	if (*begin >= sizeof(landing) && !memcmp(bytes + *begin - 4, landing, sizeof(landing)))
		*begin -= sizeof(landing);
	return at + i + 6 + (uint64_t)(int64_t)distance;
}

static uint64_t jump_aarch64(const unsigned char *bytes, size_t n, size_t i, uint64_t at,
			     size_t *begin)
{
	uint32_t page, load, before = 0;
	int64_t pages;

	if (i % 4 || n - i < 8)
		return 0;
	memcpy(&page, bytes + i, 4);
	memcpy(&load, bytes + i + 4, 4);
	if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
		return 0;
	if (i >= 4)
		memcpy(&before, bytes + i - 4, 4);
	*begin = before == 0xd503245f ? i - 4 : i;
	pages = (int64_t)((page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3));
	pages = pages >> 20 ? pages - (1 << 21) : pages;
	return ((at + i) & ~(uint64_t)0xfff) + (uint64_t)(pages * 4096) + (load >> 10 & 0xfff) * 8;
}

struct search {
	struct slots slots;
	struct chosen_names names;
	GElf_Half machine;
	void (*each)(void *to, uint64_t low, uint64_t high, const char *name);
	void *to;
};

static void entries_find(const struct search *s, const unsigned char *bytes, size_t n, uint64_t at)
{
	for (size_t i = 0; i < n; i++) {
		size_t begin = 0;
		uint64_t word = s->machine == EM_X86_64 ? jump_x86(bytes, n, i, at, &begin)
							: jump_aarch64(bytes, n, i, at, &begin);
		const char *name = word ? name_of_word(&s->slots, &s->names, word) : NULL;

		if (name)
			s->each(s->to, at + begin, at + i + 6, name);
	}
}

static void sections_search(const struct search *s, Elf *code)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(code, &names))
		return;
	while ((section = elf_nextscn(code, section))) {
		const char *name =
			gelf_getshdr(section, &h) ? elf_strptr(code, names, h.sh_name) : NULL;
		Elf_Data *data;

		if (!name || h.sh_type != SHT_PROGBITS ||
		    (strncmp(name, ".plt", 4) && strcmp(name, ".iplt")))
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			entries_find(s, data->d_buf, data->d_size, h.sh_addr);
	}
}

void plt_read(Elf *code, Elf *symbols,
	      void (*each)(void *to, uint64_t low, uint64_t high, const char *name), void *to)
{
	struct search s = {.each = each, .to = to};
	GElf_Ehdr head;

	if (!gelf_getehdr(code, &head))
		return;
	s.machine = head.e_machine;
	slots_read(&s.slots, code, s.machine);
	if (s.slots.v_n) {
		names_read(&s.names, symbols, SHT_SYMTAB);
		names_read(&s.names, symbols, SHT_DYNSYM);
		qsort(s.slots.v, s.slots.v_n, sizeof(*s.slots.v), number_compare);
		if (s.names.v_n)
			qsort(s.names.v, s.names.v_n, sizeof(*s.names.v), number_compare);
	}
	if (s.names.v_n)
		sections_search(&s, code);
	free(s.slots.v);
	free(s.names.v);
}
