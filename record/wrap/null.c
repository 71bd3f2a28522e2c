/*
 * null.c: the worked example of a wrapper: records one function of libc, getppid(). Nobody preloads it unasked
 * (tau-record --wrap null does); copy it to begin a wrapper of your own, and read tau-wrapper(7).
 */
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include "tau.h"

#define EXPORT __attribute__((visibility("default")))

/* The function that would have been called without us. */
static pid_t (*real_getppid)(void);

static uint32_t region, result;

/* Once, when the first call comes: regions and events get their numbers. */
static void start(void)
{
	*(void **)&real_getppid = dlsym(RTLD_NEXT, "getppid");
	region = tau_region("getppid()", "NULL_WRAPPER", NULL, 0);
	result = tau_event("getppid result", 0);
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
