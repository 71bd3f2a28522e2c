/*
 * openacc.c: the wrapper of OpenACC's profiling interface, as GNU's libgomp implements it: the
 * runtime opens the library named by ACC_PROFLIB and lets it register for events.
 *
 * Constructs are regions of group OPENACC at their place in the code. The runtime does not report
 * the place, so the stack is walked to the first caller outside of the runtime. Bytes that are
 * copied or allocated are events.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "region_slots.h"
#include "tau.h"

#define EXPORT __attribute__((visibility("default")))
#define DEEP   64   /* open constructs of a thread */
#define SLOT_BITS 10 /* of the table of regions */
#define WALK   32   /* frames of the runtime at most */

/* acc_event_t: starts are even from DATA_ENTER on, and an end follows its start. */
enum event {
	INIT = 1,
	INIT_END,
	SHUTDOWN,
	SHUTDOWN_END,
	RUNTIME_SHUTDOWN,
	CREATE,
	DELETE,
	ALLOC,
	FREE,
	DATA_ENTER,
	DATA_ENTER_END,
	DATA_EXIT,
	DATA_EXIT_END,
	UPDATE,
	UPDATE_END,
	COMPUTE,
	COMPUTE_END,
	LAUNCH,
	LAUNCH_END,
	UPLOAD,
	UPLOAD_END,
	DOWNLOAD,
	DOWNLOAD_END,
	WAIT,
	WAIT_END,
	EVENTS
};

/* acc_prof_info, and acc_data_event_info, with whose first fields all others begin. */
struct prof_info {
	int event, valid_bytes, version, device_type, device, thread;
	ptrdiff_t async, queue;
	const char *file, *function;
	int line, end_line, function_line, function_end_line;
};
struct data_info {
	int event, valid_bytes, construct, implicit;
	void *tool;
	const char *name; /* of a variable or kernel */
	size_t bytes;
};

static const char *const names[EVENTS] = {
	[INIT] = "acc device init",
	[SHUTDOWN] = "acc device shutdown",
	[DATA_ENTER] = "acc enter data",
	[DATA_EXIT] = "acc exit data",
	[UPDATE] = "acc update",
	[COMPUTE] = "acc compute",
	[LAUNCH] = "acc enqueue launch",
	[UPLOAD] = "acc enqueue upload",
	[DOWNLOAD] = "acc enqueue download",
	[WAIT] = "acc wait",
};
static const char *const amounts[EVENTS] = {
	[CREATE] = "OpenACC bytes created",	  [DELETE] = "OpenACC bytes deleted",
	[ALLOC] = "OpenACC bytes allocated",	  [FREE] = "OpenACC bytes freed",
	[UPLOAD] = "OpenACC bytes uploaded",	  [DOWNLOAD] = "OpenACC bytes downloaded",
};

/* ---- where the program called the runtime ---- */

static int in_runtime(uintptr_t pc)
{
	struct tau_object o;
	const char *base;

	if (tau_object(pc - 1, &o) != 1)
		return 0;
	base = strrchr(o.name, '/');
	return !strncmp(base ? base + 1 : o.name, "libgomp", 7);
}

static uintptr_t word_at(uintptr_t address)
{
	uintptr_t word;

	memcpy(&word, (const void *)address, sizeof(word));
	return word;
}

/* The address inside the call, from a return address, and the stack and frame pointer of that caller. NULL: it was not found. */
static const void *place_walk(uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	for (int i = 0; i < WALK && in_runtime(pc); i++)
		if (!tau_frame_up(&pc, &sp, &fp))
			return NULL;
	return in_runtime(pc) || !pc ? NULL : (const void *)(pc - 1);
}

/* ---- regions ---- */

static const char *compute_name(int construct)
{
	static const char *const constructs[] = {"acc parallel", "acc kernels", "acc loop"};

	if (construct >= 0 && construct < 3)
		return constructs[construct];
	return construct == 16 ? "acc serial" : names[COMPUTE];
}

static struct region_slot slots[1 << SLOT_BITS];

static uint32_t region_at(const char *name, const void *place)
{
	uint64_t key = ((uint64_t)(uintptr_t)place ^ (uint64_t)(uintptr_t)name << 16) | 1;
	struct region_slot *slot = region_slot_find(slots, SLOT_BITS, key);
	uint32_t region = slot ? region_slot_get(slot) : 0;

	if (region)
		return region;
	region = tau_region_at(name, "OPENACC", place);
	if (slot)
		region_slot_set(slot, region);
	return region;
}

static int holds(int valid, size_t offset, size_t size)
{
	return valid > 0 && (size_t)valid >= offset + size;
}

static uint32_t region_of(const struct prof_info *p, const struct data_info *d, const void *place)
{
	const char *name = names[p->event];

	if (p->event == COMPUTE && holds(d->valid_bytes, offsetof(struct data_info, construct), 4))
		name = compute_name(d->construct);
	if (holds(p->valid_bytes, offsetof(struct prof_info, line), 4) && p->file && p->line > 0)
		return tau_region(name, "OPENACC", p->file, (uint32_t)p->line);
	return region_at(name, place);
}

/* ---- events ---- */

static __thread uint32_t open[DEEP];
static __thread int depth;

static void end_event(void)
{
	if (!depth)
		return;
	depth--;
	if (depth < DEEP)
		tau_leave(open[depth]);
}

__attribute__((noinline)) static void receive(const struct prof_info *p, const struct data_info *d,
					      void *api)
{
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	(void)api;
	if (!p || !d || p->event <= 0 || p->event >= EVENTS || !tau_active())
		return;
	if (amounts[p->event] && holds(d->valid_bytes, offsetof(struct data_info, bytes), 8))
		tau_trigger(tau_event(amounts[p->event], 2), (double)d->bytes);
	if (names[p->event]) {
		if (depth < DEEP) {
			open[depth] = region_of(
				p, d,
				place_walk((uintptr_t)__builtin_return_address(0), frame + 16,
					   word_at(frame)));
			tau_begin(open[depth]);
		}
		depth++;
	} else if (p->event > 1 && names[p->event - 1]) {
		end_event();
	}
}

typedef void callback(const struct prof_info *, const struct data_info *, void *);
typedef void registers(int event, callback *function, int how);

EXPORT void acc_register_library(registers *add, registers *remove, void *lookup);

void acc_register_library(registers *add, registers *remove, void *lookup)
{
	(void)remove;
	(void)lookup;
	for (int i = INIT; add && i < EVENTS; i++)
		if (i != RUNTIME_SHUTDOWN)
			add(i, receive, 0);
}
