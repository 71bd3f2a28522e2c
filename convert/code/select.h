/*
 * select.h: TAU's selective instrumentation files: the regions that are recorded. They are read
 * here and turned into the table that the recorder reads (record/format.h).
 *
 *	BEGIN_EXCLUDE_LIST ... END_EXCLUDE_LIST			names of regions to exclude
 *	BEGIN_INCLUDE_LIST ... END_INCLUDE_LIST			the only ones to record
 *	BEGIN_FILE_EXCLUDE_LIST, BEGIN_FILE_INCLUDE_LIST	the same by source file
 *	BEGIN_INSTRUMENT_SECTION				instructions to TAU's parser of sources: kept for the caller
 *
 * One name per line. In a name, # is any sequence of characters; in a file, * is any sequence and ?
 * any character. A # at the beginning of a line makes it a comment, so a name that begins with # is
 * written with a " before it. A name matches the whole name of a region, and also the part before
 * its arguments, and a function as TAU's parser of sources writes it (source_name.h).
 */
#ifndef SELECT_H
#define SELECT_H

#include "analyze/base/base.h"

/* The tables of a run have this prefix, followed by 16 hexadecimal digits. */
#define SELECT_FILE ".select."

struct select;

/*
 * Reads a file. ERROR_SYSTEM: it cannot be read; ERROR_INPUT: it is not such a file. select_free()
 * frees *out.
 */
int select_read(const char *path, struct select **out, struct error *e);
struct select *select_new(void);	/* excludes nothing */
/* Regions of this name start recording when they are entered, or stop it when they are left. */
void select_add_start(struct select *s, const char *name);
void select_add_stop(struct select *s, const char *name);
/*
 * A command during the run: the only selection of a table, which excludes the regions of this name
 * or includes them again.
 */
struct select *select_new_now(int include, const char *name);
/* Calls each() with the path of every module in a table. ERROR_INPUT: the table is damaged. */
int select_table_modules(const unsigned char *table, size_t n,
			 void (*each)(void *to, const char *path, size_t n), void *to,
			 struct error *e);
/*
 * Adds names of functions to patch, separated by commas; * is also any sequence of characters. Only
 * functions that are recorded, in binaries that can be patched, are patched.
 */
void select_add_patch(struct select *s, const char *list);
/* Number of such functions that select_table() found. */
size_t select_patched(const struct select *s);
void select_free(struct select *s);
/* The lines of instrumentation sections, borrowed. */
size_t select_section_n(const struct select *s);
const char *select_section(const struct select *s, size_t i);

/* Is a region recorded? file: NULL: unknown. */
int select_wants(const struct select *s, const char *name, const char *file);

/*
 * Makes the table for a program and the libraries that it links (n paths). The caller frees it.
 * Only binaries that call compiler hooks, or that can be patched, are read.
 */
unsigned char *select_table(struct select *s, const char *const *path, size_t n,
			    size_t *size);

#endif
