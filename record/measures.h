/*
 * measures.h: messages of a recorded process to the tau-record that started it, and that measures it from outside. So the program has
 * no thread for it.
 *
 * A message is one structure, written into a named pipe of the run in one step. Addresses are those of the process; 0: there is none.
 * No part of the trace.
 */
#ifndef TAU_MEASURES_H
#define TAU_MEASURES_H

#include <stdint.h>

enum tau_measure_kind {
	TAU_MEASURE_FROM = 1,	/* what is to be measured from now on; replaces an earlier message of the process */
	TAU_MEASURE_END,	/* the process ends */
	TAU_MEASURE_OVER,	/* there are no more messages; from tau-record itself */
};
enum tau_measure_what {
	TAU_MEASURE_SYSTEM = 1,	/* every system_ns: counters of the process and of its host */
	TAU_MEASURE_HEAP = 2,	/* every track_ns, as the following */
	TAU_MEASURE_HEADROOM = 4,
	TAU_MEASURE_FOOTPRINT = 8,
	TAU_MEASURE_LOAD = 16,
	TAU_MEASURE_POWER = 32,
	TAU_MEASURE_TRACKED = 62,	/* all of these */
	TAU_MEASURE_SYMMETRIC = 64,	/* the headroom depends on /dev/shm, too */
};
struct tau_measured {	/* of the whole process since its begin */
	uint64_t cpu_ns;
	uint64_t voluntary, involuntary, minor, major;	/* context switches, page faults */
	uint64_t resident, threads;	/* now; bytes */
	uint64_t read, written, disk_read, disk_written;
	uint64_t io;	/* 1: the last four are known */
};
struct tau_measure {
	uint32_t size;		/* of the message */
	uint32_t kind, what;	/* enum tau_measure_kind; enum tau_measure_what together */
	uint32_t pid, outer_pid;	/* as the process sees itself; in the PID namespace of its /proc */
	uint32_t stream;	/* the number of the stream that the values get */
	uint32_t clock, shift;	/* of that stream, as the next three */
	uint64_t process_id, ticks_hz, start_tick;
	uint64_t tick;		/* when `now` was read */
	uint64_t system_ns, track_ns;
	uint64_t id_at, gate_at;	/* of process_id, and of an int that is 1 to 3 while the process records */
	/* Bytes of the heap: the sum of an int64_t and of one in each of a number (an unsigned) of structures. */
	uint64_t heap_at, heap_parts_at, heap_parts_n_at, heap_part_size;
	uint64_t headroom_least;	/* of the process's own readings; UINT64_MAX: there are none */
	struct tau_measured now;
	char files[256];	/* how the names of its files begin */
};

_Static_assert(sizeof(struct tau_measure) == 488, "message about what is measured");

#endif
