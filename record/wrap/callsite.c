/*
 * callsite.c: distinguishes the calls of a function by the place in the code that calls it (tau-record --call-sites).
 *
 * It is preloaded before libtau.so and has the functions by which compiler hooks and wrappers enter and leave regions. Each
 * replaces the function or region by the region of its call site and goes on in libtau.so. Without the option it is not in the
 * process, so that recording costs nothing more.
 *
 * The site of a function with hooks is the second argument of its hook. That of a function with a wrapper is the first return
 * address outside the wrapper, which is found by call frame information; where it is on the stack is kept for each caller of
 * tau_call(). A leave looks for the innermost open region that is a call site of what is left.
 */
#include <dlfcn.h>
#include <string.h>

#include "tau.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))
#define CACHED 512		/* call sites kept for each thread: a power of two */
#define PLACES 256		/* callers of tau_call() likewise */
#define STEPS  16		/* frames of a wrapper */
#define CALLED 65536		/* regions */
#if defined(__x86_64__)
#define RETURN_ON_STACK 1	/* the word below the end of a frame is its return address */
#else
#define RETURN_ON_STACK 0
#endif
#define LOWEST 4096		/* the recorder measures the cost of a call with a function below */

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* The functions of libtau.so with the same names. */
static struct {
	void (*enter)(void *function, void *site), (*exit)(void *function, void *site);
	int (*call)(uint32_t region);
	int (*call_send)(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes);
	int (*call_isend)(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes,
			  uint32_t *request);
	int (*call_rma)(uint32_t region, unsigned rma, int target, uint64_t bytes);
	void (*leave)(uint32_t region);
	void (*recv_leave)(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes);
	void (*io)(uint32_t region, unsigned io, uint32_t file, uint64_t bytes);
	void (*io_at)(uint32_t region, unsigned io, uint32_t file, uint64_t bytes, int64_t offset,
		      int fd);
} next;

/* Regions that were given to tau_call() and its like: the others have no call sites. */
static unsigned char called[CALLED];

static void next_find(const char *name, void *to)
{
	void *function = own_next(name);

	memcpy(to, &function, sizeof(function));
}

static __attribute__((noinline)) void look(void)
{
	next_find("__cyg_profile_func_enter", &next.enter);
	next_find("__cyg_profile_func_exit", &next.exit);
	next_find("tau_call", &next.call);
	next_find("tau_call_send", &next.call_send);
	next_find("tau_call_isend", &next.call_isend);
	next_find("tau_call_rma", &next.call_rma);
	next_find("tau_recv_leave", &next.recv_leave);
	next_find("tau_io", &next.io);
	next_find("tau_io_at", &next.io_at);
	next_find("tau_leave", &next.leave);	/* last: a thread that has it does not look */
}

/* Functions with hooks may run before the constructors of this library. */
static __attribute__((constructor)) void begin(void)
{
	if (!__atomic_load_n(&next.leave, __ATOMIC_ACQUIRE))
		look();
}

/* ---- the region of a call site ---- */

static __thread struct {
	uintptr_t what, site;		/* a function, or a region with the highest bit */
	uint32_t region;
} cache[CACHED];
#define OF_REGION(region) ((uintptr_t)(region) | (uintptr_t)1 << 63)

/* The entry is written so that a signal handler finds it whole or not at all. */
static uint32_t site_region(uintptr_t what, uintptr_t site)
{
	size_t i = ((what >> 4 ^ what ^ site) * 0x9e3779b97f4a7c15u >> 32) % CACHED;
	uint32_t region = *(volatile uint32_t *)&cache[i].region;

	__asm__ volatile("" ::: "memory");
	if (region && cache[i].what == what && cache[i].site == site)
		return region;
	if (what < LOWEST)
		return 0;
	region = what >> 63 ? tau_call_site((uint32_t)what, 0, site) : tau_call_site(0, what, site);
	cache[i].region = 0;
	__asm__ volatile("" ::: "memory");
	cache[i].what = what;
	cache[i].site = site;
	__asm__ volatile("" ::: "memory");
	cache[i].region = region;
	return region;
}

/* ---- functions with hooks ---- */

/* A function that was inlined is called where its hook is. */
static uint32_t function_region(uintptr_t function, uintptr_t site, uintptr_t back, uintptr_t sp)
{
	begin();
	if (tau_stranger())
		return 0;
	return site_region(function, tau_call_site_inlined(sp) ? back : site);
}

/* Calls in tail position: libtau.so sees the stack pointer of the function that called the hook. */
void __cyg_profile_func_enter(void *function, void *site)
{
	uint32_t region = function_region((uintptr_t)function, (uintptr_t)site,
					  (uintptr_t)__builtin_return_address(0),
					  (uintptr_t)__builtin_dwarf_cfa());

	if (region)
		tau_enter(region);
	else
		next.enter(function, site);
}

void __cyg_profile_func_exit(void *function, void *site)
{
	uint32_t region = tau_call_site_open(0, (uintptr_t)function);

	/* Excluded functions have no frame, but their calls are counted. */
	if (!region && (uintptr_t)function >= LOWEST && !tau_stranger())
		region = site_region((uintptr_t)function, (uintptr_t)site);
	if (region)
		next.leave(region);
	else
		next.exit(function, site);
}

/* ---- functions with wrappers ---- */

static __thread struct {
	uintptr_t pc, offset;		/* the word at sp + offset is the return address of the wrapper */
} places[PLACES];

/* The first return address outside the object of pc; 0: unknown. *fixed: it is at *at for each call from pc. */
static uintptr_t walk(uintptr_t pc, uintptr_t sp, uintptr_t fp, uintptr_t *at, int *fixed)
{
	struct tau_object own, o;

	*fixed = 1;
	if (tau_object(pc, &own) != 1)
		return 0;
	for (int i = 0; i < STEPS; i++) {
		int how = tau_frame_up(&pc, &sp, &fp);

		if (!how)
			return 0;
		*fixed &= how == 2;
		*at = sp - sizeof(pc);
		if (tau_object(pc, &o) != 1 || o.base != own.base)
			return pc;
	}
	return 0;
}

static uintptr_t site_of(uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	size_t i = (pc * 0x9e3779b97f4a7c15u >> 32) % PLACES;
	uintptr_t offset = places[i].offset, at, site;
	int fixed;

	__asm__ volatile("" ::: "memory");
	if (offset && places[i].pc == pc) {
		memcpy(&site, (const void *)(sp + offset), sizeof(site));
		return site;
	}
	site = walk(pc, sp, fp, &at, &fixed);
	if (site && fixed && RETURN_ON_STACK) {
		places[i].offset = 0;
		__asm__ volatile("" ::: "memory");
		places[i].pc = pc;
		__asm__ volatile("" ::: "memory");
		places[i].offset = at - sp;
	}
	return site;
}

/* frame: the frame pointer and the return address of the function that the wrapper calls; the wrapper's frame follows. */
static uint32_t call_region(uint32_t region, uintptr_t *frame)
{
	begin();
	if (tau_stranger() || !tau_active() || tau_inside() || region >= CALLED)
		return region;
	called[region] = 1;
	return site_region(OF_REGION(region), site_of(frame[1], (uintptr_t)(frame + 2), frame[0]));
}

static uint32_t leave_region(uint32_t region, uintptr_t *frame)
{
	uint32_t open;

	begin();
	if (region >= CALLED || !called[region])
		return region;
	open = tau_call_site_open(region, 0);
	return open ? open : call_region(region, frame);
}
#define FRAME ((uintptr_t *)__builtin_frame_address(0))

EXPORT int(tau_call)(uint32_t region)
{
	region = call_region(region, FRAME);
	return next.call(region);
}

EXPORT int(tau_call_send)(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes)
{
	region = call_region(region, FRAME);
	return next.call_send(region, peer, tag, comm, bytes);
}

EXPORT int(tau_call_isend)(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes,
			   uint32_t *request)
{
	region = call_region(region, FRAME);
	return next.call_isend(region, peer, tag, comm, bytes, request);
}

EXPORT int(tau_call_rma)(uint32_t region, unsigned rma, int target, uint64_t bytes)
{
	region = call_region(region, FRAME);
	return next.call_rma(region, rma, target, bytes);
}

EXPORT void(tau_leave)(uint32_t region)
{
	region = leave_region(region, FRAME);
	next.leave(region);
}

EXPORT void(tau_recv_leave)(uint32_t region, int peer, int tag, uint32_t comm, uint64_t bytes)
{
	region = leave_region(region, FRAME);
	next.recv_leave(region, peer, tag, comm, bytes);
}

EXPORT void(tau_io)(uint32_t region, unsigned io, uint32_t file, uint64_t bytes)
{
	region = leave_region(region, FRAME);
	next.io(region, io, file, bytes);
}

EXPORT void(tau_io_at)(uint32_t region, unsigned io, uint32_t file, uint64_t bytes, int64_t offset,
		       int fd)
{
	region = leave_region(region, FRAME);
	next.io_at(region, io, file, bytes, offset, fd);
}
