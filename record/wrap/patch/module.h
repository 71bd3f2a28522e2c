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

/* A section that lists places, in memory. */
struct section {
	enum site_kind kind;
	const uint8_t *begin;
	size_t size;
};

struct module {
	uintptr_t base;			/* what is added to addresses of the file */
	uintptr_t code, code_end;	/* the segments that are executed */
	struct section section[8];
	size_t sections;
};

/* Fills *m; 0: nothing of the file can be patched. */
int module_get(struct module *m, const struct dl_phdr_info *info);

#endif
