/* exports.c: the functions that a shared library exports, from its table of dynamic symbols. */
#include "convert/code/exports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "convert/code/elf_symbols.h"

/* Is the function available to linkers: defined here, in the default version? */
static int exported(const GElf_Sym *sym, const GElf_Versym *version)
{
	int type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF &&
	       (bind == STB_GLOBAL || bind == STB_WEAK) && !(version && (*version & 0x8000));
}

static void functions_read(Elf *elf, Elf_Data *versions, struct names *out)
{
	struct elf_symbols s = {.elf = elf, .kind = SHT_DYNSYM};

	while (elf_symbols_next(&s)) {
		GElf_Versym version;
		int versioned = versions && gelf_getversym(versions, (int)s.index - 1, &version);
		const char *name = exported(&s.symbol, versioned ? &version : NULL) ?
				   elf_symbols_name(&s) : NULL;

		if (name)
			names_add(out, name, strlen(name));
	}
}

static void soname_read(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, char out[NAME_MAX])
{
	Elf_Data *data = elf_getdata(section, NULL);

	for (size_t i = 0; data && i < header->sh_size / header->sh_entsize && i < INT_MAX; i++) {
		GElf_Dyn entry;
		const char *name;

		if (!gelf_getdyn(data, (int)i, &entry) || entry.d_tag != DT_SONAME)
			continue;
		name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
		if (name && *name)
			snprintf(out, NAME_MAX, "%s", name);
	}
}

static Elf_Data *versions_find(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_versym)
			return elf_getdata(section, NULL);
	return NULL;
}

static void sections_read(Elf *elf, struct exports *out)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	functions_read(elf, versions_find(elf), &out->functions);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_entsize &&
		    header.sh_type == SHT_DYNAMIC)
			soname_read(elf, section, &header, out->soname);
}

int exports_read(const char *path, struct exports *out, struct error *e)
{
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	GElf_Ehdr header;
	Elf *elf;

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	snprintf(out->soname, sizeof(out->soname), "%s", slash ? slash + 1 : path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && gelf_getehdr(elf, &header) && header.e_type == ET_DYN)
		sections_read(elf, out);
	elf_end(elf);
	close(fd);
	if (out->functions.name_n)
		return 0;
	exports_release(out);
	return error_set(e, ERROR_INPUT,
			 "%s: not a shared library that exports functions; give the path of the "
			 "library itself (lib*.so.N)", path);
}

void exports_release(struct exports *x)
{
	names_release(&x->functions);
	memset(x, 0, sizeof(*x));
}
