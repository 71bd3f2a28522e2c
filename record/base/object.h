/*
 * object.h: the loaded object that contains an address, and copies of memory: without locks, for signal handlers.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;
struct dl_find_object;

bool objects_start(void);		/* false: the C library cannot find objects without a lock */
bool objects_there(void);		/* it was started, and can */
bool object_at(uint64_t address, struct dl_find_object *out);	/* false: there is none */
bool object_described(uint64_t address, struct dl_phdr_info *out);	/* the object as dl_iterate_phdr() describes it */
bool memory_copy(void *out, uint64_t address, size_t n);	/* of this process; false: it cannot be read */

#endif
