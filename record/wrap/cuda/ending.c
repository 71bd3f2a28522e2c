/*
 * ending.c: the ends of a process that call no exit handlers: _exit() and abort(), as in children of Python's multiprocessing and
 * when an error of CUDA is not caught.
 *
 * What devices did last is still with CUPTI then. A signal handler may end the process while the thread has locks, so the
 * recorder's thread fetches it, and the end waits for that thread no longer than a second.
 */
#include "ending.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tau.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))
#define WAIT_MS 1000
#define LONG_NS 3600000000000u

static void (*finish)(void);
static int owner; /* the process */
static int asked, done;
static struct {
	void (*exit)(int status);
	void (*abort)(void);
} next;

/* Looked up before the program runs: dlsym() is not allowed in signal handlers. */
static __attribute__((constructor)) void begin(void)
{
	tau_hide();
	*(void **)&next.exit = own_next("_exit");
	*(void **)&next.abort = own_next("abort");
	tau_show();
}

void ending_start(void (*function)(void))
{
	finish = function;
	owner = getpid();
}

static void finish_once(void)
{
	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return;
	finish();
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

static void ending(void)
{
	int saved = errno;

	if (getpid() != owner || __atomic_exchange_n(&asked, 1, __ATOMIC_ACQ_REL))
		return;
	if (tau_every(LONG_NS, finish_once))
		for (int i = 0; i < WAIT_MS && !__atomic_load_n(&done, __ATOMIC_ACQUIRE); i++)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	errno = saved;
}

EXPORT void _exit(int status)
{
	ending();
	if (next.exit)
		next.exit(status);
	for (;;)
		_Exit(status);
}

EXPORT void abort(void)
{
	ending();
	if (next.abort)
		next.abort();
	for (;;)
		__builtin_trap();
}
