/* elf_symbols.c: walks the tables of symbols of an ELF file. */
#include "convert/code/elf_symbols.h"

#include <stdint.h>

/* The next table of the kind; 0: there is none. */
static int table_next(struct elf_symbols *s)
{
	s->data = NULL;
	s->index = 0;
	while (!s->data && (s->section = elf_nextscn(s->elf, s->section)))
		if (gelf_getshdr(s->section, &s->header) && s->header.sh_type == s->kind &&
		    s->header.sh_entsize)
			s->data = elf_getdata(s->section, NULL);
	return s->data != NULL;
}

int elf_symbols_next(struct elf_symbols *s)
{
	while (s->data || table_next(s)) {
		while (s->index < s->header.sh_size / s->header.sh_entsize && s->index < INT32_MAX)
			if (gelf_getsym(s->data, (int)s->index++, &s->symbol))
				return 1;
		if (!table_next(s))
			return 0;
	}
	return 0;
}

const char *elf_symbols_name(const struct elf_symbols *s)
{
	const char *name = elf_strptr(s->elf, s->header.sh_link, s->symbol.st_name);

	return name && *name ? name : NULL;
}
