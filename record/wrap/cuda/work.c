/*
 * work.c: what devices did: kernels, copies and memsets of each stream.
 *
 * CUPTI delivers them late and not in order: they wait in a table, and are written in the order of their times. Those that overlap
 * in a stream, as in graphs, go to further threads of the stream.
 */
#include "work.h"
#include "cupti.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tau.h"

/* ---- which call path started what: by the number of the call ---- */

#define STARTS (1 << 16)
static struct work_start {
	uint64_t correlation;
	const struct path *path;
} starts[STARTS];

void work_called(uint32_t correlation, const struct path *path)
{
	struct work_start *s = &starts[correlation % STARTS];

	__atomic_store_n(&s->correlation, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&s->path, path, __ATOMIC_RELEASE);
	__atomic_store_n(&s->correlation, correlation, __ATOMIC_RELEASE);
}

static const struct path *start_get(uint32_t correlation)
{
	const struct work_start *s = &starts[correlation % STARTS];
	const struct path *path;

	if (__atomic_load_n(&s->correlation, __ATOMIC_ACQUIRE) != correlation)
		return NULL;
	path = __atomic_load_n(&s->path, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&s->correlation, __ATOMIC_ACQUIRE) == correlation ? path : NULL;
}

/* ---- what waits, until it is written ---- */

#define WAITING (1 << 14)
#define QUEUES	1024 /* of streams of their own; those that come later share queues: */
#define SHARED	64
#define BUCKETS 2048

/* Waits are beside the work of a stream, migrations of unified memory beside that of a device. */
enum queue_kind { QUEUE_WORK, QUEUE_WAITS, QUEUE_MIGRATIONS, QUEUE_SHARED };
struct work_key {
	enum queue_kind kind;
	uint32_t device, context, stream;
};

static struct item {
	struct work_key queue;
	struct tau_device_record record;
} *waiting;
static size_t waiting_n;
static uint64_t lost;

static struct queue {
	struct work_key key;
	uint32_t lane; /* of those that overlap */
	uint64_t end;
	struct tau_device *device;
	struct queue *next; /* in its bucket */
} queues[QUEUES + SHARED], *buckets[BUCKETS];
static size_t queue_n;

/* CLOCK_MONOTONIC before the clock of records, and before CUPTI's own one, in ns */
static int64_t ahead, own_ahead;

static int same_queue(const struct work_key *a, const struct work_key *b)
{
	return a->kind == b->kind && a->device == b->device && a->context == b->context &&
	       a->stream == b->stream;
}

static struct queue **bucket_of(const struct work_key *key)
{
	uint32_t h = key->stream * 2654435761u ^ key->context * 2246822519u ^
		     (key->device << 3 | (uint32_t)key->kind);

	return &buckets[(h ^ h >> 15) % BUCKETS];
}

static void queue_name(char *name, size_t size, const struct work_key *key, const char *more)
{
	const char *waits = key->kind == QUEUE_WAITS ? " waits" : "";

	if (key->kind == QUEUE_MIGRATIONS)
		snprintf(name, size, "CUDA device %u unified memory%s", key->device, more);
	else if (key->kind == QUEUE_SHARED)
		snprintf(name, size, "CUDA device %u other streams%s", key->device, more);
	else if (key->stream == NO_STREAM)
		snprintf(name, size, "CUDA device %u context %u%s%s", key->device, key->context,
			 waits, more);
	else
		snprintf(name, size, "CUDA device %u context %u stream %u%s%s", key->device,
			 key->context, key->stream, waits, more);
}

static struct queue *queue_new(const struct work_key *key, uint32_t lane)
{
	size_t most = QUEUES + (key->kind == QUEUE_SHARED ? SHARED : 0);
	struct queue *q = queue_n < most ? &queues[queue_n] : NULL, **bucket = bucket_of(key);
	char name[96], more[24] = "";

	if (!q)
		return NULL;
	if (lane)
		snprintf(more, sizeof(more), " (%u)", lane + 1);
	queue_name(name, sizeof(name), key, more);
	*q = (struct queue){*key, lane, 0, tau_device(name), *bucket};
	if (!q->device)
		return NULL;
	*bucket = q;
	queue_n++;
	return q;
}

/* The first thread of the stream in which nothing runs at this time; lanes: how many it has. */
static struct queue *queue_idle(const struct work_key *key, uint64_t begin, uint32_t *lanes)
{
	struct queue *free = NULL;

	*lanes = 0;
	for (struct queue *q = *bucket_of(key); q; q = q->next) {
		if (!same_queue(&q->key, key))
			continue;
		if (q->end <= begin && (!free || q->lane < free->lane))
			free = q;
		++*lanes;
	}
	return free;
}

static struct queue *queue_free(const struct work_key *key, uint64_t begin)
{
	const struct work_key shared = {QUEUE_SHARED, key->device, 0, 0};
	uint32_t lanes;
	struct queue *q = queue_idle(key, begin, &lanes);

	if (!q)
		q = queue_new(key, lanes);
	if (!q)
		q = queue_idle(&shared, begin, &lanes);
	return q ? q : queue_new(&shared, lanes);
}

/* Heap sort: a library's sort allocates. */
static void sift(size_t at, size_t n)
{
	struct item moved = waiting[at];
	size_t child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && waiting[child].record.begin < waiting[child + 1].record.begin)
			child++;
		if (moved.record.begin >= waiting[child].record.begin)
			break;
		waiting[at] = waiting[child];
		at = child;
	}
	waiting[at] = moved;
}

static void waiting_sort(void)
{
	for (size_t i = waiting_n / 2; i--;)
		sift(i, waiting_n);
	for (size_t n = waiting_n; n > 1; n--) {
		struct item last = waiting[n - 1];

		waiting[n - 1] = waiting[0];
		waiting[0] = last;
		sift(0, n - 1);
	}
}

/* Writes the first n of those that wait. */
static void waiting_write(size_t n)
{
	waiting_sort();
	n = n < waiting_n ? n : waiting_n;
	for (size_t i = 0; i < n; i++) {
		const struct tau_device_record *r = &waiting[i].record;
		struct queue *q = queue_free(&waiting[i].queue, r->begin);

		if (q && tau_device_put(q->device, r, 1))
			q->end = r->end;
		else
			lost++;
	}
	waiting_n -= n;
	memmove(waiting, waiting + n, waiting_n * sizeof(*waiting));
}

static void value_add(struct tau_device_record *r, uint32_t event, double value)
{
	if (r->value_n == sizeof(r->value) / sizeof(*r->value))
		return;
	r->value[r->value_n].event = event;
	r->value[r->value_n++].value = value;
}

static void wait_add(struct work_key queue, struct tau_device_record *r)
{
	if (waiting_n == WAITING)
		waiting_write(WAITING / 2);
	waiting[waiting_n++] = (struct item){queue, *r};
}

/* A time of a record as one of CLOCK_MONOTONIC. Some records keep CUPTI's own clock, which is far ahead. */
static uint64_t time_of(uint64_t ns)
{
	static uint64_t near; /* soon */
	uint64_t t = ns + (uint64_t)ahead;

	if (t > near) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		near = ((uint64_t)now.tv_sec + 3600) * 1000000000u;
	}
	return t > near ? ns + (uint64_t)own_ahead : t;
}

/* Records of work that has not ended have no times; CUPTI delivers them when it has to give up its buffers. */
static int times(struct tau_device_record *r, uint64_t start, uint64_t end, uint32_t correlation)
{
	const struct path *path;

	if (!start || end < start) {
		lost++;
		return 0;
	}
	path = start_get(correlation);
	*r = (struct tau_device_record){.begin = time_of(start), .end = time_of(end)};
	if (path) {
		r->caller = path->caller;
		r->caller_n = path->n;
	}
	return 1;
}

/* The device of a context, + 1; 0: not known yet. Records of waits do not contain it. */
#define CONTEXTS (1 << 12)
static struct work_seen {
	uint32_t context, device;
} contexts[CONTEXTS];

static void context_seen(uint32_t context, uint32_t device)
{
	contexts[context % CONTEXTS] = (struct work_seen){context, device + 1};
}

static const char *const kernel_values[] = {"CUDA threads of a block", "CUDA blocks of a grid",
					    "CUDA registers of a thread",
					    "CUDA shared memory of a block (B)"};
#define KERNEL_EVENTS (sizeof(kernel_values) / sizeof(*kernel_values))
static uint32_t kernel_events[KERNEL_EVENTS];

static double product(const int32_t v[3])
{
	return (double)v[0] * (double)v[1] * (double)v[2];
}

static void add_kernel(const struct kernel *k)
{
	struct tau_device_record r;

	context_seen(k->context, k->device);
	if (!times(&r, k->start, k->end, k->correlation))
		return;
	r.region = tau_region(k->name ? k->name : "unnamed kernel", "CUDA_KERNEL", NULL, 0);
	if (!kernel_events[0])
		for (size_t i = 0; i < KERNEL_EVENTS; i++)
			kernel_events[i] = tau_event(kernel_values[i], 2);
	value_add(&r, kernel_events[0], product(k->block));
	value_add(&r, kernel_events[1], product(k->grid));
	value_add(&r, kernel_events[2], k->registers);
	value_add(&r, kernel_events[3], (double)k->static_shared + (double)k->dynamic_shared);
	wait_add((struct work_key){QUEUE_WORK, k->device, k->context, k->stream}, &r);
}

static struct transfer_kind {
	const char *name;
	uint32_t region, bytes, rate;
} transfers[] = {
	{.name = "CUDA copy"},
	{.name = "CUDA copy host to device"},
	{.name = "CUDA copy device to host"},
	{.name = "CUDA copy host to array"},
	{.name = "CUDA copy array to host"},
	{.name = "CUDA copy array to array"},
	{.name = "CUDA copy array to device"},
	{.name = "CUDA copy device to array"},
	{.name = "CUDA copy device to device"},
	{.name = "CUDA copy host to host"},
	{.name = "CUDA copy between devices"},
	{.name = "CUDA memset"},
};
#define TRANSFERS (sizeof(transfers) / sizeof(*transfers))

static void add_transfer(const struct transfer *t, size_t kind, uint32_t correlation)
{
	struct transfer_kind *of = &transfers[kind];
	struct tau_device_record r;
	char name[80];

	context_seen(t->context, t->device);
	if (!times(&r, t->start, t->end, correlation))
		return;
	if (!of->region) {
		of->region = tau_region(of->name, "CUDA_COPY", NULL, 0);
		snprintf(name, sizeof(name), "%s (B)", of->name);
		of->bytes = tau_event(name, 2);
		snprintf(name, sizeof(name), "%s (MB/s)", of->name);
		of->rate = tau_event(name, 2);
	}
	r.region = of->region;
	value_add(&r, of->bytes, (double)t->bytes);
	if (t->end > t->start)
		value_add(&r, of->rate, (double)t->bytes * 1000 / (double)(t->end - t->start));
	wait_add((struct work_key){QUEUE_WORK, t->device, t->context, t->stream}, &r);
}

static size_t copy_kind(const struct transfer *t)
{
	return t->copy < TRANSFERS - 1 ? t->copy : 0;
}

/* ---- waits and unified memory ---- */

static void add_wait(const struct synchronization *s)
{
	static const char *const names[] = {NULL, "CUDA wait for an event",
					    "CUDA stream waits for an event",
					    "CUDA wait for a stream", "CUDA wait for a device"};
	const struct work_seen *seen = &contexts[s->context % CONTEXTS];
	uint32_t device = seen->context == s->context && seen->device ? seen->device - 1 : 0;
	struct tau_device_record r;

	if (!s->type || s->type >= sizeof(names) / sizeof(*names) ||
	    !times(&r, s->start, s->end, s->correlation))
		return;
	r.region = tau_region(names[s->type], "CUDA_WAIT", NULL, 0);
	wait_add((struct work_key){QUEUE_WAITS, device, s->context, s->stream}, &r);
}

/* A fault of a processor is a moment: its record has no end. */
static void add_migration(const struct migration *m)
{
	static const char *const names[] = {
		NULL,
		"CUDA migration host to device",
		"CUDA migration device to host",
		"CUDA page fault of a processor",
		"CUDA page faults of a device",
		"CUDA thrashing of pages",
		"CUDA throttling of faults",
		"CUDA remote mapping",
		"CUDA migration between devices",
	};
	int copied =
		m->counter == TO_DEVICE || m->counter == TO_HOST || m->counter == BETWEEN_DEVICES;
	uint32_t device = m->counter == TO_DEVICE ? m->to : m->from;
	struct tau_device_record r;
	char name[64];

	if (!m->counter || m->counter >= sizeof(names) / sizeof(*names) ||
	    !times(&r, m->start, m->counter == CPU_FAULT || !m->end ? m->start : m->end, 0))
		return;
	r.region = tau_region(names[m->counter], "CUDA_MEMORY", NULL, 0);
	snprintf(name, sizeof(name), copied ? "%s (B)" : "%s: number", names[m->counter]);
	if (copied || m->counter == GPU_FAULT)
		value_add(&r, tau_event(name, 2), (double)m->value);
	/* The processor has no number of a device. */
	wait_add((struct work_key){QUEUE_MIGRATIONS, device > 0xff ? 0 : device, 0, 0}, &r);
}

void work_add(const void *record)
{
	const struct transfer *t = record;

	if (!waiting)
		return;
	switch (t->kind) {
	case CONCURRENT_KERNEL: add_kernel(record); break;
	case MEMCPY: add_transfer(t, copy_kind(t), t->correlation); break;
	case MEMCPY2: add_transfer(t, copy_kind(t), t->peer_correlation); break;
	case MEMSET: add_transfer(t, TRANSFERS - 1, t->correlation); break;
	case SYNCHRONIZATION: add_wait(record); break;
	case UNIFIED_MEMORY: add_migration(record); break;
	}
}

void work_lost(uint64_t records)
{
	lost += records;
}

uint64_t work_write(uint64_t before)
{
	size_t n = 0;

	for (size_t i = 0; i < waiting_n; i++)
		n += waiting[i].record.begin < before;
	if (n)
		waiting_write(n);
	return lost;
}

int work_start(int64_t clock_ahead, int64_t own_clock_ahead)
{
	ahead = clock_ahead;
	own_ahead = own_clock_ahead;
	waiting = tau_map(WAITING * sizeof(*waiting));
	return waiting != NULL;
}
