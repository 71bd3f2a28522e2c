/* measured_process.h: reads the numbers of another process from /proc and from its memory. */
#ifndef MEASURED_PROCESS_H
#define MEASURED_PROCESS_H

#include <sys/types.h>

#include "convert/native/live/measure_message.h"

struct measured_switches;
struct measured_process {
	pid_t pid;	/* here */
	int folder;	/* /proc/PID, which is this process for ever */
	int sealed;	/* its memory cannot be read */
	struct measured_switches *thread;
	size_t thread_n, thread_cap;
};

/* Finds the process that sent a message. -1: it is not there, or cannot be distinguished from others. */
int measured_process_open(struct measured_process *p, const struct tau_measure *m);
void measured_process_close(struct measured_process *p);
/* Does it still run the program that sent the message? */
int measured_process_lives(struct measured_process *p, const struct tau_measure *m);
/* Does the recorder in it record? If that cannot be read: yes. */
int measured_process_records(const struct measured_process *p, const struct tau_measure *m);
/* -1: it has ended. */
int measured_process_read(struct measured_process *p, struct tau_measured *out);
/* Bytes of the heap. -1: nothing counts it, or it cannot be read. */
int measured_process_heap(const struct measured_process *p, const struct tau_measure *m, uint64_t *bytes);
/* A line "WORD NUMBER kB" of its status, in KB; 0: there is none. */
uint64_t measured_process_kb(const struct measured_process *p, const char *word);

#endif
