/* inlines.c: walks the scopes of an address in DWARF. */
#include "convert/code/inlines.h"

#include <dwarf.h>
#include <stdlib.h>

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		return dwarf_formstring(&a);
	return dwarf_diename(die);
}

static uint64_t number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	return dwarf_attr(die, name, &a) && !dwarf_formudata(&a, &v) ? v : 0;
}

const char *inlines_file(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Half version = 0;
	Dwarf_Attribute a;
	Dwarf_Files *files;
	Dwarf_Word file;
	Dwarf_Die unit;
	size_t n;

	if (!dwarf_attr_integrate(die, attribute, &a) || dwarf_formudata(&a, &file) ||
	    !dwarf_cu_die(a.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	return (file || version >= 5) && !dwarf_getsrcfiles(&unit, &files, &n) && file < n
		       ? dwarf_filesrc(files, file, NULL, NULL)
		       : NULL;
}

/* The source position at which an inlined function is called. */
static void call_place(Dwarf_Die *die, struct inlined *at)
{
	at->line = (uint32_t)number(die, DW_AT_call_line);
	at->file = inlines_file(die, DW_AT_call_file);
}

/*
 * The innermost scope of an address and its parents, in the order of the unit. Returns their
 * number; the caller frees *out.
 */
static int scopes_get(Dwarf_Die *unit, uint64_t address, Dwarf_Die **out)
{
	Dwarf_Die *scopes = NULL, inner;
	int n = dwarf_getscopes(unit, address, &scopes);

	if (n > 0)
		inner = scopes[0];
	free(scopes);
	return n > 0 ? dwarf_getscopes_die(&inner, out) : 0;
}

int inlines_line(Dwarf_Die *unit, uint64_t address, const char **file, uint32_t *line)
{
	Dwarf_Line *at = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (!at || dwarf_lineno(at, &number) || number < 0)
		return 0;
	*file = dwarf_linesrc(at, NULL, NULL);
	*line = (uint32_t)number;
	return *file && number;
}

size_t inlines_get(Dwarf_Die *unit, uint64_t address, struct inlined *out, size_t most)
{
	struct inlined at = { 0 };
	Dwarf_Die *scopes = NULL;
	size_t n = 0;
	int scope_n = scopes_get(unit, address, &scopes);

	inlines_line(unit, address, &at.file, &at.line);
	for (int i = 0; i < scope_n && n < most; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		at.name = function_name(&scopes[i]);
		out[n++] = at;
		if (tag == DW_TAG_subprogram)
			break;
		call_place(&scopes[i], &at);
	}
	free(scopes);
	/*
	 * gcc puts functions that it makes from parts of a function (OpenMP) inside that function,
	 * where the search for scopes does not find them.
	 */
	if (!n && at.file && most)
		out[n++] = at;
	return n;
}
