/*
 * thread_name.c: names that threads get after their first event: pthread_setname_np(), in front of the C library's function, and
 * prctl() (life/syscalls.c). A name that another thread gives is noticed when the named thread ends.
 */
#include "record/event/thread_name.h"
#include "record/base/compiler.h"
#include "record/base/gate.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/begin.h"
#include "record/encode/define_write.h"
#include "record/encode/varint.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

EXPORT int pthread_setname_np(pthread_t thread, const char *name);

static int (*next)(pthread_t, const char *);

__attribute__((constructor)) static void next_find(void)
{
	*(void **)&next = own_next_at_start("pthread_setname_np");
}

void thread_name_define(uint32_t tid)
{
	uint8_t bytes[64], *p = bytes;
	char *name = self.stream->name;
	size_t n;

	*name = 0;
	system_call(SYS_prctl, PR_GET_NAME, name);
	n = strlen(name);
	p = put_varint(p, tid);
	p = put_varint(p, n);
	memcpy(p, name, n);
	define_raw(TAU_DEF_THREAD, bytes, (size_t)(p - bytes) + n);
}

void thread_name_follow(void)
{
	char name[17] = "";

	system_call(SYS_prctl, PR_GET_NAME, name);
	if (strcmp(name, self.stream->name))
		thread_name_define(self.stream->tid);
}

void thread_renamed(void)
{
	int saved, ready;

	/* Before errno: a child that is not recorded may lack our thread-local storage. */
	if (!GATE_RECORDS(tau_gate.value))
		return;
	saved = errno;
	if (thread_recording() && !self.hidden) {
		ready = keep_begin();
		if (ready >= 0) {
			thread_name_follow();
			keep_end(ready);
		}
	}
	errno = saved;
}

int pthread_setname_np(pthread_t thread, const char *name)
{
	int error;

	if (!next)
		next_find();
	error = next ? next(thread, name) : ENOSYS;
	if (!error && thread == pthread_self())
		thread_renamed();
	return error;
}
