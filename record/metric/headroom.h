/*
 * headroom.h: how much more memory a process could get: the smallest of what really binds.
 *
 * Each limit less what is used of it, in bytes:
 *
 *   cgroup DIRECTORY   memory.max less (memory.current less inactive_file of memory.stat), of the process's control group and
 *                      of each above it; version 1: memory.limit_in_bytes, memory.usage_in_bytes, total_inactive_file
 *   MemAvailable       of /proc/meminfo: what the machine has without swapping
 *   CommitLimit        less Committed_AS, where the kernel promises no more than it has (overcommit_memory 2)
 *   RLIMIT_AS          less VmSize
 *   RLIMIT_DATA        less VmData
 *   /dev/shm           what is free there: of programs that keep symmetric memory in it
 *
 * Which limits there are is found out once; what is used is read each time. No function needs the heap, a lock, or much stack: the
 * caller sees to it that one thread at a time is inside.
 */
#ifndef HEADROOM_H
#define HEADROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADROOM_NONE UINT64_MAX

/*
 * Finds the limits that there are of a process, 0: of this one. root: "" for this machine; otherwise a directory that has a proc and a
 * sys of its own.
 */
void headroom_find(const char *root, uint32_t pid, bool symmetric);

/* Bytes left, HEADROOM_NONE: nothing is known to bind. *limit: the name of what binds, which stays. */
uint64_t headroom_read(const char **limit);

/* All limits as text, "MemAvailable 123 MB; ...", smallest first. Returns out. */
char *headroom_words(char *out, size_t size);

#endif
