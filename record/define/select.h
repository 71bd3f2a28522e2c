/*
 * select.h: which functions a selection excludes, by name.
 */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void select_start(void);
/* A command: the table of this number takes precedence over earlier ones; false: it cannot be used. */
bool select_change(uint64_t number);
bool select_keeps_out(const char *name, size_t name_n, const char *file, size_t file_n);
bool select_keeps_out_address(uint64_t address);
bool select_patches(uint64_t function);	/* is the code of the function to be patched? */
/* enum filtered_flag of a region with this name. */
uint32_t select_flags(const char *name, size_t name_n);
uint32_t select_flags_address(uint64_t address);

#endif
