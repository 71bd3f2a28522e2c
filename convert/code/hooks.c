/* hooks.c: finds how a program can be recorded, from its sections and its dynamic symbols. */
#include "convert/code/hooks.h"

#include <gelf.h>
#include <stdint.h>
#include <string.h>

/* The hooks that the dynamic symbol table requires. */
static int table_asks(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym sym;
	int hooks = 0;

	for (size_t i = 0; data && i < header->sh_size / header->sh_entsize && i < INT32_MAX; i++) {
		const char *name = gelf_getsym(data, (int)i, &sym) ?
				   elf_strptr(elf, header->sh_link, sym.st_name) : NULL;

		if (!name || sym.st_shndx != SHN_UNDEF)
			continue;
		if (!strcmp(name, "__cyg_profile_func_enter"))
			hooks |= HOOKS_COMPILER;
		if (!strcmp(name, "__fentry__"))
			hooks |= HOOKS_PATCHABLE;
	}
	return hooks;
}

/*
 * The recorder has the names of the sections once more (record/wrap/patch/module.c): it reads the headers of loaded files in the
 * process, without libelf, and record/ includes nothing of convert/.
 */
int hooks_find(Elf *elf)
{
	static const char *const lists[] = {"__patchable_function_entries", "__mcount_loc",
					    "xray_instr_map"};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	int hooks = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ?
				   elf_strptr(elf, names, header.sh_name) : NULL;

		for (size_t i = 0; name && i < sizeof(lists) / sizeof(*lists); i++)
			if (!strcmp(name, lists[i]) && header.sh_flags & SHF_ALLOC)
				hooks |= HOOKS_PATCHABLE;
		if (name && header.sh_type == SHT_DYNSYM && header.sh_entsize)
			hooks |= table_asks(elf, section, &header);
	}
	return hooks;
}
