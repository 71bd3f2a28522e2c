/*
 * python.c: the wrapper of Python: functions of programs that CPython 3.9 or newer interprets, with
 * file and line.
 *
 * The interpreter is not linked: its functions are found by name when the process starts; in other
 * programs nothing is done. The first file that is opened after Python's start adds a pending call,
 * which starts to record: by sys.monitoring if there is one, otherwise by the profile hook of the C
 * interface (PyEval_SetProfile). That belongs to one thread: for others it is set by the thread
 * that creates them, which has the interpreter's lock then. A program that sets a hook of its own
 * keeps it.
 *
 * Each thread keeps a stack of the calls that it has entered: a frame that was open before has no
 * enter, generators leave and enter at each yield, and greenlets leave in any order. The region of
 * a function is kept for its code object, until that is freed.
 *
 * What a task of asyncio runs, from one await that suspends it to the next, is a call of a region
 * of the task.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "metadata.h"
#include "python/codes.h"
#include "python/frames.h"
#include "python/function.h"
#include "python/interpreter.h"
#include "python/monitor.h"
#include "tau.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))

static int interpreted; /* the process is one of Python */
static int asked;       /* the main thread is to start */
static int started;     /* it has */
static int running;     /* threads have the hook */
static uint64_t newest; /* number of the newest thread that has had the hook; read and written with
			   the interpreter's lock */

/* ---- the profile hook ---- */

/* No thread has the hook any more. */
static void hand_over(void)
{
	__atomic_store_n(&running, 0, __ATOMIC_RELEASE);
	for (object *t = py.thread_first(py.interpreter_get()); t; t = py.thread_next(t))
		if (py.profile_set(t, NULL, NULL))
			py.error_clear();
	frames_leave();
}

static void frame_call(object *frame)
{
	object *code = py.frame_code(frame);
	uint64_t kept = code && tau_active() ? function_of(code) : 0;

	if (kept & PROFILER)
		hand_over();
	else if (!(kept & HIDDEN))
		frame_enter(frame, code, kept);
	if (code)
		py.release(code);
}

static int profile(object *self, object *frame, int what, object *argument)
{
	enum { FRAME_CALL = 0, FRAME_RETURN = 3 };

	(void)self;
	(void)argument;
	if (what == FRAME_CALL)
		frame_call(frame);
	else if (what == FRAME_RETURN)
		frame_leave(frame);
	return 0;
}

static void thread_hook(object *thread)
{
	uint64_t id = py.thread_id(thread);

	if (id > newest)
		newest = id;
	if (py.profile_set(thread, profile, NULL))
		py.error_clear();
}

/* A thread that is about to begin is the first of the list. */
static void thread_new(void)
{
	object *thread;

	if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE) || !py.thread_current() ||
	    !py.lock_check())
		return;
	thread = py.thread_first(py.interpreter_get());
	if (thread && py.thread_id(thread) > newest)
		thread_hook(thread);
}

/* ---- start ---- */

static int start(void *argument)
{
	(void)argument;
	if (started || !tau_permitted())
		return 0;
	started = 1;
	codes_start();
	if (monitor_start())
		return 0;
	for (object *t = py.thread_first(py.interpreter_get()); t; t = py.thread_next(t))
		thread_hook(t);
	tau_meta(TAU_META_PYTHON_PROFILE_HOOK, "1");
	__atomic_store_n(&running, 1, __ATOMIC_RELEASE);
	return 0;
}

/* A file is opened: has Python started? */
static void opened(void)
{
	if (!interpreted || __atomic_load_n(&asked, __ATOMIC_RELAXED) || !py.is_initialized())
		return;
	if (!__atomic_exchange_n(&asked, 1, __ATOMIC_ACQ_REL) && py.pending_add(start, NULL))
		__atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
}

/* ---- the functions that are wrapped ---- */

static FILE *(*real_fopen)(const char *, const char *);
static FILE *(*real_fopen64)(const char *, const char *);
static int (*real_open)(const char *, int, ...);
static int (*real_open64)(const char *, int, ...);
static int (*real_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Other libraries may open files before our constructor has run. */
static void real_find(void *to, const char *name)
{
	void *f = own_next(name);

	memcpy(to, &f, sizeof(f));
}

static __attribute__((constructor)) void begin(void)
{
	real_find(&real_fopen, "fopen");
	real_find(&real_fopen64, "fopen64");
	real_find(&real_open, "open");
	real_find(&real_open64, "open64");
	real_find(&real_create, "pthread_create");
	interpreted = interpreter_find() && frames_start();
}

#define OPEN(name)                                                                                 \
	EXPORT int name(const char *path, int flags, ...)                                          \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		va_list more;                                                                      \
\
		if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                         \
			va_start(more, flags);                                                     \
			mode = va_arg(more, mode_t);                                               \
			va_end(more);                                                              \
		}                                                                                  \
		if (!real_##name)                                                                  \
			real_find(&real_##name, #name);                                            \
		opened();                                                                          \
		return real_##name(path, flags, mode);                                             \
	}
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                                                \
	EXPORT FILE *name(const char *path, const char *mode)                                      \
	{                                                                                          \
		if (!real_##name)                                                                  \
			real_find(&real_##name, #name);                                            \
		opened();                                                                          \
		return real_##name(path, mode);                                                    \
	}
FOPEN(fopen)
FOPEN(fopen64)

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*routine)(void *), void *argument)
{
	if (!real_create)
		real_find(&real_create, "pthread_create");
	thread_new();
	return real_create(thread, attributes, routine, argument);
}
