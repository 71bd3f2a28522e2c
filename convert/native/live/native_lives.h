/* native_lives.h: the file with the live chunks of the threads of a process. */
#ifndef NATIVE_LIVES_H
#define NATIVE_LIVES_H

#include <stdint.h>

#include "record/format.h"

/*
 * The name of that file, HOST.PID.N.threads.live, for the FILE.tau of that name, HOST.PID.N.THREAD.tau, with or without directories;
 * NULL: the name is another. The caller frees it.
 */
char *native_lives_name(const char *trace);
/* The number of the stream in the name HOST.PID.N.THREAD.tau; 0: it is 0, or the name is another. */
uint32_t native_lives_stream(const char *trace);

/* A place in the file. */
struct native_place {
	uint64_t at, size;
};
/* The head of the file, and the number of its places by its length. Of another file the head is 0, and there are 0. */
uint32_t native_lives_places(int fd, struct tau_lives_header *head);
/* That of a stream, from 1 on, if it has a chunk. 0, or -1: it has none, or 1: this is no such file, or its head is damaged. */
int native_lives_find(int fd, uint32_t stream, struct native_place *place);

#endif
