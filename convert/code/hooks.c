/* hooks.c: finds how a program can be recorded, from its sections and its dynamic symbols. */
#include "convert/code/hooks.h"

#include <string.h>

#include "convert/code/elf_symbols.h"

/* The hooks that the dynamic symbols require. */
static int symbols_require(Elf *elf)
{
	struct elf_symbols s = {.elf = elf, .kind = SHT_DYNSYM};
	int hooks = 0;

	while (elf_symbols_next(&s)) {
		const char *name = s.symbol.st_shndx == SHN_UNDEF ? elf_symbols_name(&s) : NULL;

		if (name && !strcmp(name, "__cyg_profile_func_enter"))
			hooks |= HOOKS_COMPILER;
		if (name && !strcmp(name, "__fentry__"))
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
	}
	return hooks | symbols_require(elf);
}
