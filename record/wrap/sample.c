/*
 * sample.c: what samples require in the program: where threads begin, and the program's own use of
 * the timers' signal. tau-record preloads it with --sample; it records nothing.
 *
 * To the program the signal behaves as without the recorder. The action that the program sets with
 * sigaction() and similar functions is stored, returned to it, and applied to signals of that
 * number that are not from our timers; its waits for signals continue after a timer's signal.
 * Handlers on an alternate stack run with the signal blocked, because such stacks are small.
 *
 * Threads that block all signals, as helpers of libraries do, would never be sampled: our signal is
 * removed from a mask that blocks nearly everything, and the thread sees a mask that contains it.
 * If another process sends the signal then, it is blocked indeed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <threads.h>
#include <time.h>

#include "sample/python.h"
#include "tau.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))

/* The next function of that name in the search order. */
static void *next(const char *name)
{
	void *p;

	tau_hide();
	p = own_next(name);
	tau_show();
	return p;
}

#define REAL(type, name, parameters)				\
	static type (*real) parameters;				\
	if (!real)						\
		*(void **)&real = next(name)

/* ---- threads ---- */

/* What a thread that has not begun yet must know. Where all are taken, a thread begins unseen. */
struct start {
	int taken;
	int held;	/* as in the thread that makes it: masks are inherited */
	void *(*routine)(void *);
	thrd_start_t c11_routine;
	void *argument;
};
static struct start starts[256];

static struct start *start_claim(void *(*routine)(void *), thrd_start_t c11_routine, void *argument)
{
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		struct start *s = &starts[i];
		int no = 0;

		if (!__atomic_compare_exchange_n(&s->taken, &no, 1, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		s->held = tau_sample_hold(-1);
		s->routine = routine;
		s->c11_routine = c11_routine;
		s->argument = argument;
		return s;
	}
	return NULL;
}

/* In the new thread. */
static struct start start_leave(void *argument)
{
	struct start *s = argument, copy = *s;

	__atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
	tau_sample_hold(copy.held);
	tau_sample_thread();
	return copy;
}

static void *run(void *argument)
{
	struct start s = start_leave(argument);

	return s.routine(s.argument);
}

static int c11_run(void *argument)
{
	struct start s = start_leave(argument);

	return s.c11_routine(s.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*routine)(void *), void *argument)
{
	REAL(int, "pthread_create",
	     (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
	struct start *s =
		tau_sample_signal() && !tau_inside() ? start_claim(routine, NULL, argument) : NULL;
	int ret =
		s ? real(thread, attributes, run, s) : real(thread, attributes, routine, argument);

	if (s && ret)
		__atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
	return ret;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	REAL(int, "thrd_create", (thrd_t *, thrd_start_t, void *));
	struct start *s =
		tau_sample_signal() && !tau_inside() ? start_claim(NULL, routine, argument) : NULL;
	int ret = s ? real(thread, c11_run, s) : real(thread, routine, argument);

	if (s && ret != thrd_success)
		__atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
	return ret;
}

/* ---- what the program wants of the signal ---- */

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	REAL(int, "sigaction", (int, const struct sigaction *, struct sigaction *));
	int ours = tau_sample_signal(), ret;
	struct sigaction a;

	if (!ours)
		return real(signal, action, old);
	if (signal == ours) {
		tau_sample_action(action, old);
		return 0;
	}
	if (action && action->sa_flags & SA_ONSTACK && action->sa_handler != SIG_DFL &&
	    action->sa_handler != SIG_IGN) {
		a = *action;
		sigaddset(&a.sa_mask, ours);
		action = &a;
	}
	ret = real(signal, action, old);
	if (!ret && old && old->sa_flags & SA_ONSTACK)
		sigdelset(&old->sa_mask, ours);
	return ret;
}

static __sighandler_t handler_set(__sighandler_t handler, int flags)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = flags }, old;

	tau_sample_action(&a, &old);
	return old.sa_handler;
}

#define SIGNAL(name, flags)                                                                        \
	EXPORT __sighandler_t name(int signal, __sighandler_t handler);                            \
	EXPORT __sighandler_t name(int signal, __sighandler_t handler)                             \
	{                                                                                          \
		REAL(__sighandler_t, #name, (int, __sighandler_t));                                \
		return signal && signal == tau_sample_signal() ? handler_set(handler, flags)       \
							       : real(signal, handler);            \
	}
SIGNAL(signal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(sysv_signal, SA_RESETHAND | SA_NODEFER)
SIGNAL(__sysv_signal, SA_RESETHAND | SA_NODEFER)

static int mask_thread(int how, const sigset_t *set, sigset_t *old);

/* sigset() of System V: SIG_HOLD blocks instead, and a handler unblocks. */
EXPORT __sighandler_t sigset(int signal, __sighandler_t handler)
{
	REAL(__sighandler_t, "sigset", (int, __sighandler_t));
	__sighandler_t hold = (__sighandler_t)2, before;
	sigset_t set, old;

	if (!signal || signal != tau_sample_signal())
		return real(signal, handler);
	sigemptyset(&set);
	sigaddset(&set, signal);
	mask_thread(handler == hold ? SIG_BLOCK : SIG_UNBLOCK, &set, &old);
	if (handler == hold) {
		struct sigaction now;

		tau_sample_action(NULL, &now);
		before = now.sa_handler;
	} else {
		before = handler_set(handler, 0);
	}
	return sigismember(&old, signal) ? hold : before;
}

EXPORT int sigignore(int signal)
{
	REAL(int, "sigignore", (int));
	if (!signal || signal != tau_sample_signal())
		return real(signal);
	handler_set(SIG_IGN, 0);
	return 0;
}

EXPORT int siginterrupt(int signal, int on)
{
	REAL(int, "siginterrupt", (int, int));
	struct sigaction a;

	if (!signal || signal != tau_sample_signal())
		return real(signal, on);
	tau_sample_action(NULL, &a);
	a.sa_flags = on ? a.sa_flags & ~SA_RESTART : a.sa_flags | SA_RESTART;
	tau_sample_action(&a, NULL);
	return 0;
}

/* ---- masks ---- */

static int (*real_sigmask)(int, const sigset_t *, sigset_t *);
static int (*real_sigprocmask)(int, const sigset_t *, sigset_t *);

static int started;

/* Masks change in signal handlers as well, where nothing can be looked up. */
static __attribute__((constructor)) void begin(void)
{
	*(void **)&real_sigmask = next("pthread_sigmask");
	*(void **)&real_sigprocmask = next("sigprocmask");
	if (!started++)
		python_frames_start();
}

/* Does the mask mean everything, rather than this signal? */
static int blocks_all(int how, const sigset_t *set, int ours)
{
	return how != SIG_UNBLOCK && sigismember(set, ours) == 1 &&
	       sigismember(set, SIGPROF) == 1 && sigismember(set, SIGALRM) == 1 &&
	       sigismember(set, SIGCHLD) == 1;
}

static int mask(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set,
		sigset_t *old)
{
	int ours = tau_sample_signal(), ret, held, all;
	sigset_t left;

	if (!ours || tau_inside())
		return real(how, set, old);
	held = tau_sample_hold(-1);
	all = set && blocks_all(how, set, ours);
	if (all) {
		left = *set;
		sigdelset(&left, ours);
	}
	ret = real(how, all ? &left : set, old);
	if (ret)
		return ret;
	if (old && held)
		sigaddset(old, ours);
	if (all)
		tau_sample_hold(1);
	else if (set && (how == SIG_SETMASK || sigismember(set, ours) == 1))
		tau_sample_hold(0);
	return 0;
}

static int mask_thread(int how, const sigset_t *set, sigset_t *old)
{
	if (!real_sigmask)
		begin();
	return mask(real_sigmask, how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return mask_thread(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	if (!real_sigprocmask)
		begin();
	return mask(real_sigprocmask, how, set, old);
}

/* ---- waiting for signals ---- */

/* Time left until `end`; nothing is left: zero. */
static struct timespec time_left(const struct timespec *end)
{
	struct timespec now, left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left.tv_sec = end->tv_sec - now.tv_sec;
	left.tv_nsec = end->tv_nsec - now.tv_nsec;
	if (left.tv_nsec < 0) {
		left.tv_nsec += 1000000000;
		left.tv_sec--;
	}
	return left.tv_sec < 0 ? (struct timespec){ 0 } : left;
}

static int wait_for(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	REAL(int, "sigtimedwait", (const sigset_t *, siginfo_t *, const struct timespec *));
	struct timespec end = { 0 }, left;
	siginfo_t got = { 0 };
	int signal, ours;

	if (!tau_sample_signal() || !sigismember(set, tau_sample_signal()))
		return real(set, info, timeout);
	if (timeout) {
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_sec += timeout->tv_sec + (end.tv_nsec + timeout->tv_nsec) / 1000000000;
		end.tv_nsec = (end.tv_nsec + timeout->tv_nsec) % 1000000000;
	}
	left = timeout ? *timeout : end;
	do {
		signal = real(set, &got, timeout ? &left : NULL);
		ours = signal > 0 && tau_sample_ours(&got);
		if (ours)
			tau_sample_missed(&got);
		if (timeout)
			left = time_left(&end);
	} while (ours);
	if (signal > 0 && info)
		*info = got;
	return signal;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return wait_for(set, info, timeout);
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return wait_for(set, info, NULL);
}

EXPORT int sigwait(const sigset_t *set, int *signal)
{
	REAL(int, "sigwait", (const sigset_t *, int *));
	int saved = errno, got;

	if (!tau_sample_signal() || !sigismember(set, tau_sample_signal()))
		return real(set, signal);
	do
		got = wait_for(set, NULL, NULL);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		got = errno;
		errno = saved;
		return got;
	}
	*signal = got;
	return 0;
}

/*
 * A reader of signals from a descriptor could not distinguish ours, so our number is removed from
 * the mask.
 */
EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
	REAL(int, "signalfd", (int, const sigset_t *, int));
	sigset_t set;

	if (!tau_sample_signal())
		return real(fd, mask, flags);
	set = *mask;
	sigdelset(&set, tau_sample_signal());
	return real(fd, &set, flags);
}
