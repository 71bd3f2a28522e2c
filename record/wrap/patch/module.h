/*
 * module.h: the code of a loaded file that may be patched.
 */
#ifndef PATCH_MODULE_H
#define PATCH_MODULE_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

enum site_kind {
	SITE_PATCHABLE,	/* __patchable_function_entries: 8 bytes, the address of the first nop */
	SITE_MCOUNT,	/* __mcount_loc: 8 bytes, the address of a call or of a nop in its place */
	SITE_XRAY,	/* xray_instr_map: 32 bytes, relative addresses */
	SITE_KINDS
};

/* A segment that is executed: [begin, end). */
struct code {
	uintptr_t begin, end;
	int protection;	/* PROT_READ and others */
};

/* A section that lists places, in memory. */
struct section {
	enum site_kind kind;
	const uint8_t *begin;
	size_t size;
};

struct module {
	uintptr_t base;			/* what is added to addresses of the file */
	struct code code[8];
	size_t codes;
	struct section section[8];
	size_t sections;
};

/* Fills *m; 0: nothing of the file can be patched. */
int module_get(struct module *m, const struct dl_phdr_info *info);
/* The segment with these bytes of code; NULL: none has all. */
const struct code *module_code(const struct module *m, uintptr_t at, size_t n);

#endif
