/* seccomp_probe.h: seccomp filters that tau-record runs under, and what the recorder learns about
 * them. */
#ifndef CMD_SECCOMP_H
#define CMD_SECCOMP_H

/*
 * Sets TAU_RECORD_SECCOMP (record/base/permit.c). trust: processes under any filter are to be recorded. NULL, or why nothing can be
 * recorded here: a filter would end a process at a system call of the recorder's.
 */
const char *seccomp_check(int trust);

/* Watches a new file in the directory, whose name the recorder gets in TAU_RECORD_FILTERED; -1 where that cannot be done. */
int filtered_watch(const char *directory);
/* Ends that. 1: some process was not recorded, because it ran under a filter of its own. */
int filtered_seen(int watch);

#endif
