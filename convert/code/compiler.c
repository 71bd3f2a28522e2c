/* compiler.c: reads the section .comment of an ELF file. */
#include "convert/code/compiler.h"

#include <gelf.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/code/binary.h"

enum { TEXT_MOST = 1000 };

/* Adds the texts of the section, which end with NULs, and each once. */
static void texts_add(struct names *texts, const char *s, size_t n)
{
	for (size_t at = 0; at < n;) {
		size_t length = strnlen(s + at, n - at);

		if (length && length < TEXT_MOST)
			names_add(texts, s + at, length);
		at += length + 1;
	}
}

static void section_read(struct names *texts, Elf *elf)
{
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names))
		return;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const char *name =
			gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		Elf_Data *data = name && header.sh_type == SHT_PROGBITS && !strcmp(name, ".comment")
					 ? elf_getdata(s, NULL)
					 : NULL;

		if (data && data->d_buf)
			texts_add(texts, data->d_buf, data->d_size);
	}
}

char *compiler_of(const char *path)
{
	struct elf_file f = {0};
	struct names texts = {0};
	char *all = NULL;

	elf_version(EV_CURRENT);
	if (elf_file_open(&f, path))
		return NULL;
	section_read(&texts, f.elf);
	for (size_t i = 0; i < texts.name_n; i++) {
		char *more = mem_join(all ? all : "", all ? ", " : "", texts.name[i], NULL);

		free(all);
		all = more;
	}
	names_release(&texts);
	elf_file_close(&f);
	return all;
}
