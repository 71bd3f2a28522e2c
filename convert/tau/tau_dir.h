/* tau_dir.h: the files of a directory of TAU profiles; shared by reader and writer. */
#ifndef TAU_DIR_H
#define TAU_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"
#include "convert/io/input.h"

struct tau_dir_file {
	int32_t node, context, thread;	/* of "profile.N.C.T" */
};

struct tau_dir {
	struct tau_dir_file *file;	/* sorted */
	size_t file_n, file_cap;
	char **multi;			/* names "MULTI__..." of folders, the time first, then sorted */
	size_t multi_n, multi_cap;
	char *other;			/* name of one entry that is neither, or NULL; a link that leads nowhere is one */
};

/*
 * Reads node, context and thread from the end of a file's name, as in "dump.0.0.1". 0: there are
 * none.
 */
int tau_dir_place(const char *path, struct tau_dir_file *out);

/*
 * Lists one level. 0, and tau_dir_release() frees what *out contains; or ERROR_SYSTEM: the directory cannot be read, and there
 * is nothing to free.
 */
int tau_dir_scan(const char *path, struct tau_dir *out, struct error *e);
void tau_dir_release(struct tau_dir *d);

struct tau_folder {
	char *path;
	struct tau_dir dir;
};

struct tau_folders {
	struct tau_folder *v;
	size_t v_n, v_cap;
	char *empty; /* "A (no files), ": metrics of which there is the folder alone; NULL: none */
};

/*
 * The folders to read: the directory itself, or its MULTI__ folders with files. out: empty; release it in any case. ERROR_INPUT: there
 * are none, or both; ERROR_SYSTEM: a directory cannot be read.
 */
int tau_folders_find(struct input *in, struct tau_folders *out, struct error *e);
void tau_folders_release(struct tau_folders *f);

/*
 * 1: only profile files and folders of them, or empty; 0: *other is a name that does not belong, which the caller frees; < 0:
 * error.
 */
int tau_dir_pure(const char *path, char **other, struct error *e);

/*
 * Removes such a directory's files, its folders and itself, as far as possible, and nothing else; of a linked folder only the
 * link.
 */
void tau_dir_remove(const char *path);

#endif
