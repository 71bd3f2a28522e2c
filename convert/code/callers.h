/*
 * callers.h: finds what uses a function without a name in a stripped binary: the function that
 * calls it, jumps to it or takes its address, or the variable that contains it. Read from the code
 * itself; only x86-64.
 */
#ifndef CALLERS_H
#define CALLERS_H

#include <libelf.h>
#include <stdint.h>

struct callers;

/*
 * Reads the binary, which must stay open. NULL: another architecture, or no table of functions
 * (.eh_frame_hdr). callers_free() frees it.
 */
struct callers *callers_new(Elf *elf);
void callers_free(struct callers *c);

/*
 * Describes the function around an address: "static function at 0x28e6, called by
 * mca_bml_r2_add_procs"; "in mca_bml_r2" if a variable has its address (also "in the table of
 * constructors", which the loader calls); "used by" if code takes its address; "below" if only
 * functions without a name call it. Each address has a different text, because sites of one
 * function are distinguished. name(to, address): the symbol at an address of code, or NULL. The
 * caller frees the text; NULL: no user of the function has a name.
 */
char *callers_words(const struct callers *c, uint64_t address,
		    const char *(*name)(void *to, uint64_t address), void *to);

#endif
