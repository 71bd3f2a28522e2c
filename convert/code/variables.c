/* variables.c: looks up a variable in the symbol tables of a binary. */
#include "convert/code/variables.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"

/* Searches the table of one kind; NULL: it has no variable at this address. */
static char *table_find(Elf *elf, GElf_Word kind, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym sym;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != kind || !header.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < header.sh_size / header.sh_entsize && i < INT32_MAX;
		     i++) {
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym) ||
			    GELF_ST_TYPE(sym.st_info) != STT_OBJECT || sym.st_shndx == SHN_UNDEF ||
			    address < sym.st_value || address - sym.st_value >= sym.st_size)
				continue;
			name = elf_strptr(elf, header.sh_link, sym.st_name);
			if (name && *name && address == sym.st_value)
				return mem_string(name);
			if (name && *name)
				return mem_printf("%s+%#llx", name,
						  (unsigned long long)(address - sym.st_value));
		}
	}
	return NULL;
}

static char *elf_find(Elf *elf, const unsigned char *build_id, size_t build_id_n, uint64_t address)
{
	const void *id = NULL;
	ssize_t n;
	char *name;

	if (elf_kind(elf) != ELF_K_ELF)
		return NULL;
	n = dwelf_elf_gnu_build_id(elf, &id);
	if (build_id_n && (n != (ssize_t)build_id_n || memcmp(id, build_id, build_id_n) != 0))
		return NULL;
	name = table_find(elf, SHT_SYMTAB, address);
	return name ? name : table_find(elf, SHT_DYNSYM, address);
}

char *variable_name(const char *path, const unsigned char *build_id, size_t build_id_n,
		    uint64_t address)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *name = NULL;
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf) {
		name = elf_find(elf, build_id, build_id_n, address);
		elf_end(elf);
	}
	close(fd);
	return name;
}
