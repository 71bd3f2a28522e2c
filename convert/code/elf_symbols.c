/* elf_symbols.c: walks the tables of symbols of an ELF file. */
#include "convert/code/elf_symbols.h"

#include <stdint.h>

/* Names are in memory as they are in the file, if the file is sound: most need no further check. */
static void names_find(struct elf_symbols *s)
{
	Elf_Scn *section = elf_getscn(s->elf, s->header.sh_link);
	GElf_Shdr h;
	Elf_Data *data;

	s->names = NULL;
	if (!section || !gelf_getshdr(section, &h) || h.sh_type != SHT_STRTAB ||
	    h.sh_flags & SHF_COMPRESSED)
		return;
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return;
	s->names = data->d_buf;
	s->names_n = data->d_size;
	if (s->names[s->names_n - 1])
		s->names = NULL;
}

/* The next table of the kind; 0: there is none. */
static int table_next(struct elf_symbols *s)
{
	s->data = NULL;
	s->table = NULL;
	s->index = 0;
	while (!s->data && (s->section = elf_nextscn(s->elf, s->section)))
		if (gelf_getshdr(s->section, &s->header) && s->header.sh_type == s->kind &&
		    s->header.sh_entsize)
			s->data = elf_getdata(s->section, NULL);
	if (!s->data)
		return 0;
	s->n = s->header.sh_size / s->header.sh_entsize;
	if (gelf_getclass(s->elf) == ELFCLASS64 && s->data->d_type == ELF_T_SYM &&
	    s->data->d_buf && (uintptr_t)s->data->d_buf % sizeof(uint64_t) == 0) {
		s->table = s->data->d_buf;
		if (s->n > s->data->d_size / sizeof(*s->table))
			s->n = s->data->d_size / sizeof(*s->table);
	}
	names_find(s);
	return 1;
}

/* The next symbol if the table has come to its end, or if its symbols must be converted. */
int elf_symbols_more(struct elf_symbols *s)
{
	while (s->data || table_next(s)) {
		if (s->table && s->index < s->n) {
			s->symbol = s->table[s->index++];
			return 1;
		}
		while (!s->table && s->index < s->n && s->index < INT32_MAX)
			if (gelf_getsym(s->data, (int)s->index++, &s->symbol))
				return 1;
		if (!table_next(s))
			return 0;
	}
	return 0;
}

/* The name where the section of names cannot be used as it is. */
const char *elf_symbols_text(const struct elf_symbols *s)
{
	const char *name = elf_strptr(s->elf, s->header.sh_link, s->symbol.st_name);

	return name && *name ? name : NULL;
}
