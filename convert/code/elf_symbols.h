/* elf_symbols.h: walks the symbols of an ELF file. */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <gelf.h>
#include <stddef.h>

/* The symbols of all tables of one kind, SHT_SYMTAB or SHT_DYNSYM: set elf and kind, the rest to zero. */
struct elf_symbols {
	Elf *elf;
	GElf_Word kind;
	GElf_Sym symbol; /* the one found last */
	size_t index;	 /* its place in its table, + 1 */
	/* private */
	Elf_Scn *section;
	GElf_Shdr header;
	Elf_Data *data;
	const Elf64_Sym *table;	/* the data, if it is of this type; else NULL */
	size_t n;		/* symbols of the table */
	const char *names;	/* the bytes of its section of names, which end with 0; NULL: unknown */
	size_t names_n;
};

int elf_symbols_more(struct elf_symbols *s);
/* 1: `symbol` is the next one; 0: there are no more. Tables that cannot be read are skipped. */
static inline int elf_symbols_next(struct elf_symbols *s)
{
	if (!s->table || s->index >= s->n)
		return elf_symbols_more(s);
	s->symbol = s->table[s->index++];
	return 1;
}
const char *elf_symbols_text(const struct elf_symbols *s);
/* Its name, which the file owns; NULL: it has none. */
static inline const char *elf_symbols_name(const struct elf_symbols *s)
{
	const char *name;

	if (!s->names || s->symbol.st_name >= s->names_n)
		return elf_symbols_text(s);
	name = s->names + s->symbol.st_name;
	return *name ? name : NULL;
}

#endif
