/*
 * device_use.c: kernels and copies on queues at random times, from a fixed seed: a device is busy when any of its queues is, as counted
 * nanosecond by nanosecond.
 */
#include <string.h>

#include "analyze/messages/device_use.h"
#include "seed.h"
#include "tap.h"

#define QUEUES 5 /* the first is a thread, the last is of another device */
#define TIME   4000
#define BEGIN  500 /* of the window */
#define END    3500

enum { CALLER, KERNEL, COPY, WAIT, REGIONS };
enum { OUTSIDE, IN_CALLER, IN_KERNEL, IN_COPY, IN_WAIT, PATHS };

static struct trace_region region[REGIONS] = {{.name = "main", .groups = "TAU_USER"},
					      {.name = "kernel", .groups = "CUDA_KERNEL"},
					      {.name = "copy", .groups = "CUDA_COPY"},
					      {.name = "wait", .groups = "CUDA_WAIT"}};
static struct trace_event event[] = {{.name = "copy (B)"}, {.name = "copy (MB/s)"}};
static struct trace_stream stream[QUEUES] = {{.label = "main"},
					     {.label = "CUDA device 0 context 1 stream 7", .device = 1},
					     {.label = "CUDA[0:8]", .device = 1},
					     {.label = "CUDA[0:9]", .device = 1},
					     {.label = "CUDA device 1 unified memory", .device = 1}};
static uint32_t numbers[QUEUES] = {0, 1, 2, 3, 4};
static struct trace_process process = {.stream = numbers, .stream_n = QUEUES, .end = TIME};
static struct trace trace = {.region = region, .region_n = REGIONS, .event = event, .event_n = 2, .stream = stream, .stream_n = QUEUES,
			     .process = &process, .process_n = 1};

static char busy[QUEUES][TIME]; /* 1: kernel, 2: copy */
static uint64_t count[QUEUES][2];
static double bytes[QUEUES];

static uint64_t state;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 20;
}

/* Work of one queue: regions of the caller around some of it. */
static void play(struct messages_use *use, uint32_t queue)
{
	for (int64_t now = (int64_t)(draw() % 40); now < TIME - 60; now += (int64_t)(draw() % 40)) {
		uint32_t path = IN_KERNEL + (uint32_t)(draw() % 3);
		int64_t end = now + (int64_t)(draw() % 50);
		int around = draw() % 2, inside = end > BEGIN && now < END;

		if (around)
			use->begins(use->to, queue, IN_CALLER, now);
		use->begins(use->to, queue, path, now);
		if (path == IN_COPY) {
			struct event_args a = {.value = {0, 100}};

			use->value(use->to, queue, path, end, &a, end >= BEGIN && end < END);
			bytes[queue] += end >= BEGIN && end < END ? 100 : 0;
			a.value.event = 1;
			use->value(use->to, queue, path, end, &a, 1);
		}
		use->ends(use->to, queue, path, end);
		if (around)
			use->ends(use->to, queue, IN_CALLER, end + 3);
		if (path != IN_WAIT && end > now && now >= BEGIN && now < END)
			count[queue][path == IN_COPY]++;
		for (int64_t t = now; path != IN_WAIT && inside && t < end; t++)
			busy[queue][t] |= path == IN_COPY ? 2 : 1;
		now = end + 3;
	}
}

/* The numbers of the queues from `first` to `last`, counted. */
static int is_counted(const struct device_row *r, int first, int last)
{
	int64_t ns[4] = {0}, gap = 0, most = 0;
	uint64_t n[2] = {0};
	double sum = 0;

	for (int64_t t = BEGIN; t < END; t++) {
		char any = 0;

		for (int q = first; q <= last; q++)
			any |= busy[q][t];
		ns[0] += any != 0;
		ns[1] += any & 1;
		ns[2] += any >> 1;
		ns[3] += any == 3;
		gap = any ? 0 : gap + 1;
		most = gap > most ? gap : most;
	}
	for (int q = first; q <= last; q++) {
		n[0] += count[q][0];
		n[1] += count[q][1];
		sum += bytes[q];
	}
	return r->busy == ns[0] && r->ns[DEVICE_KERNEL] == ns[1] && r->ns[DEVICE_COPY] == ns[2] && r->both == ns[3] && r->gap == most &&
	       r->n[DEVICE_KERNEL] == n[0] && r->n[DEVICE_COPY] == n[1] && r->bytes == sum && r->life == END - BEGIN;
}

int main(void)
{
	struct window_span span = {.begin = BEGIN, .end = END};
	struct messages m = {.trace = &trace, .span = &span};
	struct callstack_path path[PATHS] = {{0}};
	struct device_use x;
	struct messages_use use;

	for (uint32_t i = IN_CALLER; i < PATHS; i++)
		path[i].region = i - IN_CALLER;
	m.paths.v = path;
	m.paths.v_n = PATHS;
	state = test_seed(20);
	use = device_use_use(&x, &m);
	for (uint32_t q = 0; q < QUEUES - 1; q++)
		play(&use, q);
	/* A kernel that has not ended. */
	use.begins(use.to, 4, IN_KERNEL, END - 20);
	memset(&busy[4][END - 20], 1, 20);
	count[4][0] = 1;
	device_use_end(&x);
	ok(x.queue_n == 4 && x.device_n == 3, "four queues of three devices; a thread is none");
	for (size_t i = 0; i < x.device_n; i++) {
		const struct device_row *r = &x.device[i];
		int first = !strcmp(r->name, "CUDA[0]") ? 2 : !strcmp(r->name, "CUDA device 0") ? 1 : 4, last = first == 2 ? 3 : first;

		ok(r->queues == (uint32_t)(last - first + 1) && is_counted(r, first, last) && (first < 4 || !strcmp(r->name, "CUDA device 1")),
		   "%s: as counted", r->name);
		ok(!i || r->busy <= r[-1].busy, "%s: in order of busy time", r->name);
	}
	for (size_t i = 0; i < x.queue_n; i++)
		ok(is_counted(&x.queue[i], (int)x.queue[i].stream, (int)x.queue[i].stream), "queue %u: as counted", x.queue[i].stream);
	device_use_release(&x);
	return tap_end();
}
