/*
 * device_use.h: how busy devices are: the time in which a device executes at least one kernel or copy, over all its queues.
 *
 *	busy    length of the union of the intervals of work		idle = life - busy
 *	kernel  the same of kernels alone, copy: of copies alone	both = kernel + copy - busy: copies beside kernels
 *	life    time of the process in the window
 *
 * Work is a region of a queue (trace_stream.device) that is useful (region_work.h), has no region inside, and takes time. It is a copy if it is in
 * a group of copies or of memory (CUDA_COPY, CUDA_MEMORY, OTF2's role "data transfer"), otherwise a kernel. Bytes are the values of
 * counters in bytes, "... (B)", inside of copies.
 *
 * A device is a process and what its queues' names have in common: traces have no number of devices. The name of the device is that of
 * the queue up to the first of the words context, stream, queue, other, unified; or, as "CUDA[0:7]", up to the colon; or the whole
 * name. A process may use a device that others use, too: that is not known.
 *
 * Memory: two numbers for each time at which a queue begins to be busy.
 */
#ifndef DEVICE_USE_H
#define DEVICE_USE_H

#include "analyze/messages/messages.h"

enum device_work { DEVICE_KERNEL, DEVICE_COPY, DEVICE_WORKS };

struct device_span {
	int64_t begin, end;	/* ns */
};

struct device_spans {
	struct device_span *v;	/* in order, disjoint */
	size_t v_n, v_cap;
};

struct device_row { /* a device, or a queue */
	uint32_t process;
	uint32_t stream;	/* TRACE_NONE: a device */
	char *name;
	uint32_t device;	/* of a queue: index of its device */
	uint32_t queues;
	int64_t life, busy, both, gap;	/* ns; gap: the longest time without work, within the life */
	int64_t ns[DEVICE_WORKS];	/* unions */
	uint64_t n[DEVICE_WORKS];	/* works that begin in the window */
	double bytes;		/* of copies */
};

struct device_queue { /* a stream while it is read */
	struct device_spans span[DEVICE_WORKS];
	uint64_t n[DEVICE_WORKS];
	double bytes;
	uint32_t open;		/* path of the region that began last, which has no region inside; TRACE_NONE: none */
	int64_t since;
};

struct device_use {
	const struct messages *m;
	struct device_queue *at;	/* by stream */
	signed char *work;		/* by region: enum device_work; -1: none */
	struct device_row *device;	/* after device_use_end(): the busiest first, equal ones by process */
	size_t device_n, device_cap;
	struct device_row *queue;	/* of devices in their order, the busiest first */
	size_t queue_n, queue_cap;
};

/* The use for messages_read(); m must stay. Then call device_use_end(). Release x in any case. */
struct messages_use device_use_use(struct device_use *x, const struct messages *m);
void device_use_end(struct device_use *x);
void device_use_release(struct device_use *x);

#endif
