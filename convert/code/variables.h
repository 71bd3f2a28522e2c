/* variables.h: looks up names of variables in binaries. */
#ifndef VARIABLES_H
#define VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The variable at an ELF virtual address of a binary: "name", or "name+0x10" inside of it. NULL:
 * unknown, or the build id differs (n 0: not compared). The caller frees it.
 */
char *variable_name(const char *path, const unsigned char *build_id, size_t build_id_n,
		    uint64_t address);

#endif
