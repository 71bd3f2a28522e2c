/*
 * module.h: the modules (the program and its shared objects) that contain the addresses in a trace.
 */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;

/* At the start of the process. */
void module_start(void);
/* Defines the module that contains the address in the file of the calling thread's stream. */
void module_cover(uint64_t address);
/* The same from a signal handler; does nothing if it would take a lock. */
void module_cover_sampled(uint64_t address);
/* Writes the module that contains the address as string path, string build id in hexadecimal, varint bias. 0: unknown. */
#define MODULE_BYTES (4096 + 160)
size_t module_bytes(uint64_t address, uint8_t out[MODULE_BYTES]);
/* Calls look() for the module that contains the address and returns its result; 0: none. Takes no lock if objects_there(). */
bool module_visit(uint64_t address, int (*look)(struct dl_phdr_info *, size_t, void *), void *arg);
/* The path of the file of a module, which contains the address; "": unknown. */
void module_file(const struct dl_phdr_info *info, uint64_t address, char out[4096]);
/* The length of the build id; 0: the module has none. */
size_t build_id(const struct dl_phdr_info *info, uint8_t out[64]);

#endif
