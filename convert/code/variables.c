/* variables.c: looks up a variable in the symbol tables of a binary. */
#include "convert/code/variables.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/code/elf_symbols.h"

/* Searches the table of one kind; NULL: it has no variable at this address. */
static char *table_find(Elf *elf, GElf_Word kind, uint64_t address)
{
	struct elf_symbols s = {.elf = elf, .kind = kind};

	while (elf_symbols_next(&s)) {
		const GElf_Sym *sym = &s.symbol;
		const char *name;

		if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT || sym->st_shndx == SHN_UNDEF ||
		    address < sym->st_value || address - sym->st_value >= sym->st_size)
			continue;
		name = elf_symbols_name(&s);
		if (name && address == sym->st_value)
			return mem_string(name);
		if (name)
			return mem_printf("%s+%#llx", name,
					  (unsigned long long)(address - sym->st_value));
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
