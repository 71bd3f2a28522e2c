/*
 * null.c: the worked example of a wrapper: records one function of libc, getppid(). It is preloaded
 * only with tau-record --wrap null; copy it to begin a wrapper of your own, and read
 * tau-wrapper(7).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

#include "tau.h"
#ifdef TAU_OWN
#include "own/own.h"
#else /* outside of the project */
#define own_next(symbol) dlsym(RTLD_NEXT, symbol)
#endif

#define EXPORT __attribute__((visibility("default")))

/* The function that would have been called without us. */
static pid_t (*real_getppid)(void);

static uint32_t region, result;

/*
 * When the first call comes: regions and events get their numbers, the same if several threads come at
 * once. The real function is last, because a thread that sees it does not come here.
 */
static void start(void)
{
	int saved = errno;
	void *real = own_next("getppid");

	region = tau_region("getppid()", "NULL_WRAPPER", NULL, 0);
	result = tau_event("getppid result", 0);
	errno = saved;
	__atomic_store_n((void **)&real_getppid, real, __ATOMIC_RELEASE);
}

EXPORT pid_t getppid(void);

EXPORT pid_t getppid(void)
{
	pid_t pid;

	if (!real_getppid)
		start();
	/* The recorder itself may call what we wrap; and a program that is not recorded pays only this test. */
	if (tau_inside() || !tau_active())
		return real_getppid();
	tau_enter(region);
	pid = real_getppid();
	tau_trigger(result, pid);
	tau_leave(region);
	return pid;
}
