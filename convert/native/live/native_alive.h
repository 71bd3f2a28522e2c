/* native_alive.h: does any process still write a stream? */
#ifndef NATIVE_ALIVE_H
#define NATIVE_ALIVE_H

#include <stddef.h>
#include <stdint.h>

/* One run directory; all zero but `at` to begin with. */
struct native_alive {
	int at;		/* the directory, open */
	int leases;	/* 1: a lease shows whether a file of the directory is mapped; -1: it does not; 0: not tried yet */
	uint32_t *number;	/* of the processes that there were at seen_ns (CLOCK_MONOTONIC) */
	size_t number_n, number_cap;
	int64_t seen_ns;
};

/* Does a process have the live file open for writing or mapped, as far as the file system shows it? 0: no, or it does not show it. */
int native_alive_maps(int live);

/*
 * A trace file without bytes, open for reading: is it being made by a process that has not written its header yet? -1: by now it has
 * bytes. Where the file system does not show it, a file that is not a second old is.
 */
int native_alive_makes(int trace);

/*
 * May any process still write the stream of this live file, which is open for reading? `at`: where its chunk begins there. `pid` is the number of its process in its own
 * PID namespace. 1 if that is not known. For the first stream without leases O(processes of the machine), then O(1) calls.
 */
int native_alive(struct native_alive *a, int live, uint64_t at, uint32_t pid);

void native_alive_release(struct native_alive *a);

#endif
