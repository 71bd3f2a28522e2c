/*
 * names.h: files by their names, and the events that are counted for each. After FULL names, or if the names exceed their memory,
 * further files of a directory share one name, "DIRECTORY/(other files)"; after FULL_DIRS names all share "(other files)".
 *
 * All functions may be called in any thread and signal handler, and allocate nothing.
 */
#ifndef IO_NAMES_H
#define IO_NAMES_H

#include <stdint.h>

enum file_event {
	FILE_NAME, /* no event: a name for tau_io */
	FILE_BYTES_MAPPED,
	FILE_BYTES_READ, /* this and the next: if the call's duration is unknown to tau_io() */
	FILE_BYTES_WRITTEN,
	FILE_ERRORS,
	FILE_EVENTS
};

struct file {
	const char *name;
	uint32_t id[FILE_EVENTS]; /* 0: not defined yet */
};
extern struct file file_other __attribute__((visibility("hidden"))); /* all that have no place of their own */

/* The file of a name, which may be a path or a word such as "pipe". */
struct file *file_of(const char *name);
/*
 * Returns the name for events, within path: every "pipe:[123]" is "pipe"; a deleted file keeps its
 * name.
 */
char *file_tidy(char *path);
uint32_t file_event_define(struct file *f, enum file_event kind);

/* The event of that kind; FILE_NAME: for tau_io(). */
static inline uint32_t file_event(struct file *f, enum file_event kind)
{
	uint32_t id = __atomic_load_n(&f->id[kind], __ATOMIC_RELAXED);

	return id ? id : file_event_define(f, kind);
}

#endif
