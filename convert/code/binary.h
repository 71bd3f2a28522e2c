/* binary.h: one binary: its ELF file, its debug information, and the functions in both. */
#ifndef BINARY_H
#define BINARY_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/base/map.h"
#include "convert/code/functions.h"

/* The ELF file of a module and the file with its debug information, which may be the same. */
struct elf_file {
	int fd;
	Elf *elf;
};

struct binary {
	char *path;
	unsigned char *build_id;
	size_t build_id_n;
	int64_t changed;	/* the file, in seconds of real time; 0: unknown */
	const char *wrong;	/* why it cannot be used; NULL: it can */
	struct elf_file file, debug;
	Dwarf *dwarf;		/* NULL: there is none, or it is not open yet */
	int dwarf_opened;
	struct functions symbols, debug_functions;
	struct map units;	/* offsets of compilation units that have been read */
	uint64_t *start;	/* function_starts() */
	size_t start_n;
	int starts_read;
	int stripped;		/* it has the symbols of its dynamic linkage only */
};

/* f zeroed. 0, or -1: it cannot be read as an ELF file; close does nothing then. */
int elf_file_open(struct elf_file *f, const char *path);
void elf_file_close(struct elf_file *f);

/* b zeroed. If the file does not have this build id (n bytes, 0: any), only its separate debug file is used. */
void binary_open(struct binary *b, const char *path, const unsigned char *build_id, size_t n);
void binary_close(struct binary *b);

/* The symbol that covers an ELF virtual address; NULL: none does. */
const struct function *binary_symbol(struct binary *b, uint64_t address);
/* The first address of the function around an address of code that no symbol covers, in a stripped binary; 0: unknown. */
uint64_t binary_function_start(struct binary *b, uint64_t address);
/* The same in the debug information: without a name, with file and line. */
const struct function *binary_debug(struct binary *b, uint64_t address);
/* The compilation unit of an address. 0, or -1: there is none. */
int binary_unit(struct binary *b, uint64_t address, Dwarf_Die *unit);

#endif
