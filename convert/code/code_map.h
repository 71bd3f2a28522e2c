/*
 * code_map.h: names of code that a program made at run time, as it lists them itself in /tmp/perf-PID.map: the file that Linux's perf
 * reads, and that node --perf-basic-prof, java -XX:+DumpPerfMapAtExit, python3 -X perf and other runtimes write. Each line is
 *	ADDRESS SIZE NAME		the first two in hexadecimal
 * If code took the place of other code, the later line counts.
 */
#ifndef CODE_MAP_H
#define CODE_MAP_H

#include <stdint.h>

#include "convert/code/functions.h"

struct code_map;

/*
 * Reads the map of a process. NULL: there is none, it is not a regular file of this user, it was last written before after_ns (since
 * 1970), or it is larger than 64 MiB.
 */
struct code_map *code_map_read(const char *path, int64_t after_ns);
/* The function at an address, with file and line if its name ends with them. NULL: there is none. Valid as long as the map. */
const struct function *code_map_find(const struct code_map *m, uint64_t address);
void code_map_free(struct code_map *m);	/* NULL: does nothing */

#endif
