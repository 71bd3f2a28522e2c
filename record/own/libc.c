/*
 * libc.c: functions that only the C library has: of its threads, of its loader, of its exit. They
 * are found in the C library itself, not in what precedes it in the search order. Compiled one by
 * one, see calls.c.
 */
#include "record/own/own.h"

#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

/* In a function of the same name: finds it at its first call and calls it; `without` is the answer
 * of a C library that has it not. */
#define FORWARD(name, without, ...)						\
	static __typeof__(name) *known;						\
	__typeof__(name) *f = __atomic_load_n(&known, __ATOMIC_RELAXED);	\
	if (__builtin_expect(!f, 0)) {						\
		*(void **)&f = own_libc(#name);					\
		if (!f)								\
			return without;						\
		__atomic_store_n(&known, f, __ATOMIC_RELAXED);			\
	}									\
	return f(__VA_ARGS__)

/* ---- the loader ---- */

#ifdef CALL_dl_iterate_phdr
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument)
{
	FORWARD(dl_iterate_phdr, 0, visit, argument);
}
#endif
#ifdef CALL_dlopen
void *dlopen(const char *file, int flags)
{
	FORWARD(dlopen, NULL, file, flags);
}
#endif
#ifdef CALL_dladdr
int dladdr(const void *address, Dl_info *out)
{
	FORWARD(dladdr, 0, address, out);
}
#endif

/* ---- threads ---- */

#ifdef CALL_pthread_key_create
int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
	FORWARD(pthread_key_create, ENOSYS, key, destroy);
}
#endif
#ifdef CALL_pthread_setspecific
int pthread_setspecific(pthread_key_t key, const void *value)
{
	FORWARD(pthread_setspecific, ENOSYS, key, value);
}
#endif
#ifdef CALL_pthread_self
pthread_t pthread_self(void)
{
	FORWARD(pthread_self, 0, );
}
#endif

#ifdef CALL_pthread_attr_init
int pthread_attr_init(pthread_attr_t *a)
{
	FORWARD(pthread_attr_init, ENOSYS, a);
}
#endif
#ifdef CALL_pthread_attr_destroy
int pthread_attr_destroy(pthread_attr_t *a)
{
	FORWARD(pthread_attr_destroy, ENOSYS, a);
}
#endif
#ifdef CALL_pthread_create
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict a,
		   void *(*run)(void *), void *restrict argument)
{
	FORWARD(pthread_create, ENOSYS, thread, a, run, argument);
}
#endif
#ifdef CALL_pthread_timedjoin_np
int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	FORWARD(pthread_timedjoin_np, ENOSYS, thread, result, until);
}
#endif
#ifdef CALL_pthread_testcancel
void pthread_testcancel(void)
{
	FORWARD(pthread_testcancel, , );
}
#endif

/* ---- exit and fork ---- */

#ifdef CALL_pthread_atfork
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
extern void *__dso_handle __attribute__((visibility("hidden")));

static int register_here(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	FORWARD(__register_atfork, ENOSYS, before, parent, child, &__dso_handle);
}

int pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	return register_here(before, parent, child);
}
#endif
#ifdef CALL_at_quick_exit
int __cxa_at_quick_exit(void (*)(void *), void *);
extern void *__dso_handle __attribute__((visibility("hidden")));

static int register_here(void (*function)(void *))
{
	FORWARD(__cxa_at_quick_exit, -1, function, &__dso_handle);
}

int at_quick_exit(void (*function)(void))
{
	return register_here((void (*)(void *))function);
}
#endif
#ifdef CALL_atexit
int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

int atexit(void (*function)(void))
{
	return __cxa_atexit((void (*)(void *))function, NULL, &__dso_handle);
}
#endif
#ifdef CALL___cxa_atexit
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
	FORWARD(__cxa_atexit, -1, function, argument, library);
}
#endif

/* ---- what the C library knows ---- */

#ifdef CALL_getauxval
unsigned long getauxval(unsigned long type)
{
	FORWARD(getauxval, 0, type);
}
#endif
#ifdef CALL_sysconf
long sysconf(int name)
{
	FORWARD(sysconf, -1, name);
}
#endif
#ifdef CALL_strerrordesc_np
const char *strerrordesc_np(int error)
{
	FORWARD(strerrordesc_np, "error", error);
}
#endif
#ifdef CALL___sigaction
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

int __sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	FORWARD(__sigaction, -1, number, action, old);
}
#endif
#ifdef CALL_sigaction
int sigaction(int number, const struct sigaction *restrict action, struct sigaction *restrict old)
{
	FORWARD(sigaction, -1, number, action, old);
}
#endif
#ifdef CALL_fileno
int fileno(FILE *stream)
{
	FORWARD(fileno, -1, stream);
}
#endif
#ifdef CALL_ferror_unlocked
int ferror_unlocked(FILE *stream)
{
	FORWARD(ferror_unlocked, 0, stream);
}
#endif
#ifdef CALL_aio_error
int aio_error(const struct aiocb *request)
{
	FORWARD(aio_error, ENOSYS, request);
}
#endif
