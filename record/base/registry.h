/*
 * registry.h: the tables of definitions that all threads of the process share.
 */
#ifndef REGISTRY_H
#define REGISTRY_H

#include <stddef.h>
#include <stdint.h>

enum registry_kind { REG_REGION, REG_EVENT, REG_COMM, REG_MEMTYPE, REG_BLOCK, REG_STACK, REG_CODE,
		     REG_PLACE,		/* modules of sites: string path, string build id in hexadecimal, varint bias: not in files */
		     REG_SUMMED,	/* frame keys of regions that have sums (sums.h): not in files */
		     REGISTRIES };

/* One of the process-wide tables of definitions; a definition is kept as the bytes that follow its id in a file. */
struct definition {
	uint64_t hash;
	uint8_t *bytes;
	uint32_t length;
	uint32_t off;			/* regions: excluded by name, or a group of it is disabled */
	uint32_t renamed, renamed_n;	/* events: the event whose name it has now, 0: its own; how many renames there were before, plus 1 */
};
#define BLOCK 1024			/* definitions in a block */
#define BLOCKS 1024
struct registry {
	struct definition *block[BLOCKS];
	uint32_t n;
	uint32_t *slot;			/* hash to id + 1 */
	size_t slots;
};

#endif
