/* tau_dir.h: the files of a directory of TAU profiles; shared by reader and writer. */
#ifndef TAU_DIR_H
#define TAU_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"

struct tau_dir_file {
	int32_t node, context, thread;	/* of "profile.N.C.T" */
};

struct tau_dir {
	struct tau_dir_file *file;	/* sorted */
	size_t file_n, file_cap;
	char **multi;			/* names "MULTI__..." of folders, the time first, then sorted */
	size_t multi_n, multi_cap;
	char *other;			/* name of one entry that is neither, or NULL */
};

/*
 * Reads node, context and thread from the end of a file's name, as in "dump.0.0.1". 0: there are
 * none.
 */
int tau_dir_place(const char *path, struct tau_dir_file *out);

/* Lists one level. On success tau_dir_release() frees what *out holds; on failure nothing is held. */
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

/* The folders to read: dir itself, or its MULTI__ folders. Release *out in any case. */
int tau_folders_find(const char *dir, struct tau_folders *out, struct error *e);
void tau_folders_release(struct tau_folders *f);

/* 1: nothing but profile files and folders of them (or empty); 0: *other is a name that does not belong; < 0. */
int tau_dir_pure(const char *path, char **other, struct error *e);

/* Removes such a directory's files, its folders and itself, and touches nothing else. */
void tau_dir_remove(const char *path);

#endif
