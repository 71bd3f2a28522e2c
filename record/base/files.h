/*
 * files.h: the files of a run. Its functions run on the recorder's own stack, with signals blocked.
 */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;

/* The directory of a file: the run, or the directory of the files that exist only while the process runs, which may differ. */
enum run_place { PLACE_RUN, PLACE_LIVE };
/* In all functions here, NULL instead of a stream: the process's file of the live chunks of threads (lives.c). */
void stream_path(const struct stream *s, enum run_place place, const char *suffix, char out[4096]);	/* for messages */
/* Opens the stream's file of this suffix; with O_CREAT it must be new. -1 and errno. */
int stream_open(const struct stream *s, enum run_place place, const char *suffix, int flags);
int stream_replace(const struct stream *s, enum run_place place, const char *suffix, int flags);	/* makes it anew */
void stream_unlink(const struct stream *s, enum run_place place, const char *suffix);	/* keeps errno */
bool stream_rename(const struct stream *s, enum run_place place, const char *from, const char *to);
/* Makes a file of PLACE_LIVE accessible from the run: by a link, if it is in another directory. */
bool live_link(const struct stream *s, const char *suffix);
void live_remove(const struct stream *s, const char *suffix);
/* The program is about to change its root: keeps descriptors of the directories of the run, which have no path then. */
void places_keep(void);
int file_open(const char *path, int flags);	/* any file that is there */
/* Opens a regular file at `path` (no link) that belongs to this user and no other user may write; its size. -1: none. */
int file_own(const char *path, int flags, uint64_t *size);
void file_close(int fd);
long file_read(int fd, void *to, size_t n);	/* as read(2) */
bool file_write(int fd, const void *bytes, size_t n);	/* all of them, or false and errno */
/* Reserves the bytes of the file after its first `from`: with fallocate, or by writing zeros where the file system has none. */
bool file_reserve(int fd, uint64_t from, uint64_t bytes);
void xfsz_swallow(void);		/* a file exceeded the program's limit: takes away the SIGXFSZ that we caused */
/* Appends a line to the file of messages in the run, which tau-record prints at the end. */
void message_keep(const char *line, size_t n);

#endif
