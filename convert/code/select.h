/*
 * select.h: TAU's selective instrumentation files: which regions are to be recorded. Read here,
 *turned into the table that the recorder reads (record/format.h).
 *
 *	BEGIN_EXCLUDE_LIST ... END_EXCLUDE_LIST			names of regions to keep out
 *	BEGIN_INCLUDE_LIST ... END_INCLUDE_LIST			the only ones to record
 *	BEGIN_FILE_EXCLUDE_LIST, BEGIN_FILE_INCLUDE_LIST	the same by source file
 *	BEGIN_INSTRUMENT_SECTION				accepted, ignored
 *
 * One name a line; # in a name stands for any characters, * and ? in a file for any and for one. A
 *# at the beginning of a line makes it a comment, so that a name that begins with it is written
 *with a " before. A name holds for the whole name of a region and for what stands before its
 *arguments.
 */
#ifndef SELECT_H
#define SELECT_H

#include "analyze/base/base.h"

/* Tables stand in a run under such a name, followed by 16 hexadecimal digits. */
#define SELECT_FILE ".select."

struct select;

/* Errors: ERROR_SYSTEM cannot be read, ERROR_INPUT not such a file. */
int select_read(const char *path, struct select **out, struct error *e);
struct select *select_new(void);	/* keeps nothing out */
/* Regions of this name start recording when they are entered, or stop it when they are left. */
void select_add_start(struct select *s, const char *name);
void select_add_stop(struct select *s, const char *name);
/* A command during the run: the only selection of a table, which excludes the regions of this name or selects them again. */
struct select *select_new_now(int include, const char *name);
/* Calls each with the path of every module of a table. ERROR_INPUT: it is damaged. */
int select_table_modules(const unsigned char *table, size_t n,
			 void (*each)(void *to, const char *path, size_t n), void *to,
			 struct error *e);
/*
 * Names of functions that are to be patched, separated by commas; * stands for any characters, too. Only functions that are recorded,
 * of binaries that can be patched, will be.
 */
void select_add_patch(struct select *s, const char *list);
/* How many such functions select_table() found. */
size_t select_patched(const struct select *s);
void select_free(struct select *s);
/* Lines of instrumentation sections that were ignored. */
size_t select_ignored(const struct select *s);

/* Is a region recorded? file: NULL unknown. */
int select_wants(const struct select *s, const char *name, const char *file);

/*
 * The table for a program and the libraries it links (paths, n of them). Caller frees. Only
 * binaries that call compiler hooks, or can be patched, are looked into.
 */
unsigned char *select_table(struct select *s, const char *const *path, size_t n,
			    size_t *size);

#endif
