/*
 * callers.h: what uses a function that a stripped binary has no name for: the function that calls it, jumps to it or takes
 * its address, or the variable that holds it. Read from the code itself; x86-64 only.
 */
#ifndef CALLERS_H
#define CALLERS_H

#include <libelf.h>
#include <stdint.h>

struct callers;

/* Reads the binary, which must stay open. NULL: another machine, or no table of functions (.eh_frame_hdr). */
struct callers *callers_new(Elf *elf);
void callers_free(struct callers *c);

/*
 * What is known of the function around an address: "static function at 0x28e6, called by mca_bml_r2_add_procs"; "in mca_bml_r2"
 * if a variable has its address (also "in the table of constructors", which the loader runs); "used by" if code takes its
 * address; "below" if only functions without a name call it. Each address has a text of its own, because sites of one function
 * are told apart. name(to, address) is the symbol that covers an address of code, or NULL. The caller frees the text; NULL:
 * nothing that uses the function has a name.
 */
char *callers_words(const struct callers *c, uint64_t address,
		    const char *(*name)(void *to, uint64_t address), void *to);

#endif
