/*
 * elf_dynamic.h: what the dynamic loader reads of a program or shared library: its dynamic section, its names, its symbols and
 * their versions. Only the parts that a function needs are read, with pread(), because the file may change meanwhile.
 */
#ifndef ELF_DYNAMIC_H
#define ELF_DYNAMIC_H

#include <elf.h>
#include <sys/types.h>

#include "analyze/base/base.h"

struct elf_dynamic {
	int fd;
	dev_t device;
	ino_t inode;
	uint64_t size; /* of the file */
	Elf64_Ehdr header;
	Elf64_Phdr *segment;
	size_t segment_n;
	Elf64_Dyn *entry;
	size_t entry_n;
};

/* Negative: the file cannot be read, or is not a 64-bit ELF file of this byte order; there is nothing to close. */
int elf_dynamic_open(const char *path, struct elf_dynamic *d);
void elf_dynamic_close(struct elf_dynamic *d);

/* The path of the dynamic loader; NULL: the file names none. The caller frees it. */
char *elf_dynamic_interpreter(const struct elf_dynamic *d);
/* The value of the first entry with this tag; 0: there is none. */
uint64_t elf_dynamic_value(const struct elf_dynamic *d, int64_t tag);
/* The string at this offset of the string table; NULL: there is none. The caller frees it. */
char *elf_dynamic_text(const struct elf_dynamic *d, uint64_t offset);
/* The string of the first entry with this tag, as elf_dynamic_text(). */
char *elf_dynamic_name(const struct elf_dynamic *d, int64_t tag);
/* Does the file define this symbol for others? */
int elf_dynamic_defines(const struct elf_dynamic *d, const char *symbol);
/* The names of the functions that it defines for others. */
void elf_dynamic_functions(const struct elf_dynamic *d, struct names *out);
/* The names of the symbols that others must define for it; not those that it can do without. */
void elf_dynamic_needs(const struct elf_dynamic *d, struct names *out);
/* The names of the versions that it defines, and those that it needs of a library with this soname. */
void elf_dynamic_versions(const struct elf_dynamic *d, struct names *defined);
void elf_dynamic_versions_needed(const struct elf_dynamic *d, const char *soname, struct names *needed);

#endif
