/* binary.c: opens a binary and its debug information, and finds functions in its symbol table and DWARF. */
#include "convert/code/binary.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/code/elf_symbols.h"
#include "convert/code/function_starts.h"
#include "convert/code/go_table.h"
#include "convert/code/inlines.h"
#include "convert/code/plt.h"

#define DEBUG_ROOT "/usr/lib/debug/.build-id"

/* ---- files ---- */

int elf_file_open(struct elf_file *f, const char *path)
{
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return -1;
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF)
		return 0;
	elf_end(f->elf);
	close(f->fd);
	f->elf = NULL;
	return -1;
}

void elf_file_close(struct elf_file *f)
{
	if (!f->elf)
		return;
	elf_end(f->elf);
	close(f->fd);
}

static int build_id_matches(Elf *elf, const struct binary *b)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);

	return !b->build_id_n ||
	       (n == (ssize_t)b->build_id_n && !memcmp(id, b->build_id, b->build_id_n));
}

/* Opens the separate debug file that distributions install below /usr/lib/debug. */
static void debug_open(struct binary *b)
{
	static const char digit[] = "0123456789abcdef";
	char path[sizeof(DEBUG_ROOT) + 2 * 64 + 16], *p = path;

	if (b->build_id_n < 2 || b->build_id_n > 64)
		return;
	p += sprintf(p, "%s/", DEBUG_ROOT);
	for (size_t i = 0; i < b->build_id_n; i++) {
		*p++ = digit[b->build_id[i] >> 4];
		*p++ = digit[b->build_id[i] & 15];
		if (i == 0)
			*p++ = '/';
	}
	strcpy(p, ".debug");
	if (elf_file_open(&b->debug, path))
		return;
	if (!build_id_matches(b->debug.elf, b)) {
		elf_file_close(&b->debug);
		b->debug.elf = NULL;
	}
}

/* ---- symbol tables ---- */

static int symbol_weak(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

/*
 * Adds the functions of the table of one kind (SHT_SYMTAB or SHT_DYNSYM). Returns their number. If
 * a function is defined elsewhere and still has a value, its address is here for all modules: a
 * program with a fixed address has taken it. *chosen: set if a function is chosen at start.
 */
static size_t table_read(struct functions *to, Elf *elf, GElf_Word kind, int *chosen)
{
	struct elf_symbols s = {.elf = elf, .kind = kind};
	size_t before = to->v_n;

	while (elf_symbols_next(&s)) {
		const GElf_Sym *sym = &s.symbol;
		const char *name;

		if (GELF_ST_TYPE(sym->st_info) != STT_FUNC) {
			*chosen |= GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
			continue;
		}
		if (sym->st_shndx == SHN_UNDEF && !sym->st_value)
			continue;
		name = elf_symbols_name(&s);
		if (name)
			*array_add(to, v) = (struct function){.low = sym->st_value,
							      .high = sym->st_value + sym->st_size,
							      .name = name,
							      .weak = symbol_weak(sym)};
	}
	return to->v_n - before;
}

static void entry_add(void *to, uint64_t low, uint64_t high, const char *name)
{
	*array_add((struct functions *)to, v) = (struct function){.low = low, .high = high, .name = name};
}

/* A stripped program of Go has a table of its functions. */
static void go_read(struct functions *to, Elf *elf)
{
	Elf_Scn *section = NULL;
	Elf_Data *table = NULL, *more;
	uint64_t text = 0;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
			gelf_getshdr(section, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (name && !strcmp(name, ".text"))
			text = h.sh_addr;
		more = name && (!strcmp(name, ".gopclntab") ||
				!strcmp(name, ".data.rel.ro.gopclntab"))
			       ? elf_rawdata(section, NULL)
			       : NULL;
		table = more ? more : table;
	}
	if (table && table->d_buf)
		go_table_read(table->d_buf, table->d_size, text, entry_add, to);
}

const struct function *binary_symbol(struct binary *b, uint64_t address)
{
	return functions_find(&b->symbols, address);
}

/* Is an address loaded to be executed? */
static int is_code(Elf *elf, uint64_t address)
{
	size_t n = 0;
	GElf_Phdr h;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD && h.p_flags & PF_X &&
		    address >= h.p_vaddr && address - h.p_vaddr < h.p_filesz)
			return 1;
	return 0;
}

uint64_t binary_function_start(struct binary *b, uint64_t address)
{
	size_t low = 0, high;

	if (!b->file.elf || !b->stripped)
		return 0;
	if (!b->starts_read)
		b->start_n = function_starts(b->file.elf, &b->start);
	b->starts_read = 1;
	for (high = b->start_n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (b->start[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && is_code(b->file.elf, address) &&
			       !function_ends_before(b->file.elf, b->start[low - 1], address)
		       ? b->start[low - 1]
		       : 0;
}

/* ---- debug information ---- */

static int unit_function(Dwarf_Die *die, void *to)
{
	struct functions *functions = to;
	const char *file = inlines_file(die, DW_AT_decl_file);
	Dwarf_Addr low, high;
	struct function *f;
	int line = 0;

	if (dwarf_entrypc(die, &low) || !file || dwarf_decl_line(die, &line) || line <= 0)
		return DWARF_CB_OK;
	if (dwarf_highpc(die, &high))
		high = low;
	f = array_add(functions, v);
	f->low = low;
	f->high = high;
	f->file = file;
	f->line = (uint32_t)line;
	functions->sorted = 0;
	return DWARF_CB_OK;
}

/* The library needs 20 times as long to find that there is none. */
static Dwarf *dwarf_in(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
			gelf_getshdr(section, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (name && (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8) ||
			     !strncmp(name, ".gnu.debuglto_", 14)))
			return dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	}
	return NULL;
}

/* Opened at the first look, because that unpacks all debug information that is compressed. */
static Dwarf *dwarf_of(struct binary *b)
{
	if (b->dwarf_opened)
		return b->dwarf;
	b->dwarf_opened = 1;
	b->dwarf = dwarf_in(b->debug.elf);
	if (!b->dwarf)
		b->dwarf = dwarf_in(b->file.elf);
	return b->dwarf;
}

/* Without a table of ranges, all units are searched. */
int binary_unit(struct binary *b, uint64_t address, Dwarf_Die *unit)
{
	Dwarf *dwarf = dwarf_of(b);
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t kind;

	if (!dwarf)
		return -1;
	if (dwarf_addrdie(dwarf, address, unit))
		return 0;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &die, &sub)) {
		if (dwarf_haspc(&die, address) > 0) {
			*unit = die;
			return 0;
		}
	}
	return -1;
}

const struct function *binary_debug(struct binary *b, uint64_t address)
{
	const struct function *f = functions_find(&b->debug_functions, address);
	Dwarf_Die unit;

	if (f || binary_unit(b, address, &unit))
		return f;
	if (map_get(&b->units, dwarf_dieoffset(&unit)) == MAP_NONE) {
		map_set(&b->units, dwarf_dieoffset(&unit), 1);
		dwarf_getfuncs(&unit, unit_function, &b->debug_functions, 0);
	}
	return functions_find(&b->debug_functions, address);
}

void binary_open(struct binary *b, const char *path, const unsigned char *id, size_t n)
{
	struct stat st;
	int chosen = 0;

	b->path = mem_string(path);
	b->build_id = mem_alloc(n);
	if (n)
		memcpy(b->build_id, id, n);
	b->build_id_n = n;
	if (elf_file_open(&b->file, path)) {
		debug_open(b);
		if (!b->debug.elf)
			b->wrong = "cannot be read as a binary";
	} else if (!build_id_matches(b->file.elf, b)) {
		elf_file_close(&b->file);
		b->file.elf = NULL;
		debug_open(b);
		if (!b->debug.elf)
			b->wrong = "has changed since the recording (another build id)";
	} else {
		debug_open(b);
	}
	if (b->file.elf && fstat(b->file.fd, &st) == 0)
		b->changed = st.st_mtime;
	if (b->debug.elf)
		table_read(&b->symbols, b->debug.elf, SHT_SYMTAB, &chosen);
	if (b->file.elf && !b->symbols.v_n &&
	    !table_read(&b->symbols, b->file.elf, SHT_SYMTAB, &chosen)) {
		table_read(&b->symbols, b->file.elf, SHT_DYNSYM, &chosen);
		b->stripped = 1;
		go_read(&b->symbols, b->file.elf);
	}
	/* A table of all symbols has those of the dynamic linkage, too. */
	if (b->file.elf && b->debug.elf && chosen)
		plt_read(b->file.elf, b->debug.elf, entry_add, &b->symbols);
	if (b->file.elf && chosen)
		plt_read(b->file.elf, b->file.elf, entry_add, &b->symbols);
}

void binary_close(struct binary *b)
{
	dwarf_end(b->dwarf);
	elf_file_close(&b->debug);
	elf_file_close(&b->file);
	map_release(&b->units);
	free(b->start);
	functions_release(&b->symbols);
	functions_release(&b->debug_functions);
	free(b->path);
	free(b->build_id);
}
