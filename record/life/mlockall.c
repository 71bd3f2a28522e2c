/*
 * mlockall.c: mlockall(), in front of that of the C library.
 *
 * The recorder's tables are sparse: most of their pages are never used. Locked with the program's memory they would all be
 * allocated, and count against its limit (RLIMIT_MEMLOCK), so that its own calls fail: this one, or later ones that map
 * memory, such as pthread_create(). So only the program's mappings are locked, each by itself, and what the recorder maps
 * later is not (memory_map.c).
 */
#include "record/life/mlockall.h"
#include "record/api.h"
#include "record/base/compiler.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT int mlockall(int flags);

static int (*mlockall_next)(int);

void mlockall_find(void)
{
	*(void **)&mlockall_next = own_next_at_start("mlockall");
}

static int next(int flags)
{
	return mlockall_next ? mlockall_next(flags)
			     : (int)system_call(SYS_mlockall, (long)flags);
}

/* A file of /proc, read byte by byte. */
struct proc_text {
	int fd;
	size_t at, n;
	char bytes[512];
};

static int byte(struct proc_text *t)
{
	if (t->at == t->n) {
		long n = file_read(t->fd, t->bytes, sizeof(t->bytes));

		if (n <= 0)
			return -1;
		t->n = (size_t)n;
		t->at = 0;
	}
	return (unsigned char)t->bytes[t->at++];
}

/* A number in this base; what ends it is taken, too. */
static uint64_t number(struct proc_text *t, unsigned base)
{
	uint64_t n = 0;

	for (;;) {
		int c = byte(t), digit = c >= 'a' ? c - 'a' + 10 : c - '0';

		if (digit < 0 || digit >= (int)base)
			return n;
		n = n * base + (unsigned)digit;
	}
}

/* The rest of a line: does it name a library of the recorder? */
static bool line_is_own(struct proc_text *t)
{
	static const char library[] = "/libtau";
	bool own = false;
	size_t n = 0;

	for (int c = byte(t); c >= 0 && c != '\n'; c = byte(t)) {
		n = c == library[n] ? n + 1 : c == *library;
		own |= n == sizeof(library) - 1;
		n = own ? 0 : n;
	}
	return own;
}

/* Calls `each` for all mappings of the process. */
static void mappings(void (*each)(uintptr_t at, size_t bytes, bool own, void *to), void *to)
{
	struct proc_text t = {.fd = file_open("/proc/self/maps", O_RDONLY)};
	uintptr_t begin, end;
	bool own;

	if (t.fd < 0)
		return;
	while ((begin = number(&t, 16)) != 0) {
		end = number(&t, 16);
		own = line_is_own(&t) || map_is_own(begin);
		if (end > begin)
			each(begin, end - begin, own, to);
	}
	file_close(t.fd);
}

/* Errors mean nothing: what cannot have pages is locked for those that it may get, as mlockall() does it. */
static void lock_or_not(uintptr_t at, size_t bytes, bool own, void *flags)
{
	if (own)
		system_call(SYS_munlock, at, bytes);
	else if (flags)
		system_call(SYS_mlock2, at, bytes,
			    *(int *)flags & MCL_ONFAULT ? (long)MLOCK_ONFAULT : 0L);
}

static void own_add(uintptr_t at __attribute__((unused)), size_t bytes, bool own, void *sum)
{
	if (own)
		*(uint64_t *)sum += bytes;
}

/* Would all mappings but ours be within the limit, which is for the size of the whole address space? */
static bool fits(void)
{
	struct proc_text t = {.fd = file_open("/proc/self/statm", O_RDONLY)};
	uint64_t all, own = 0;
	struct rlimit limit;

	if (t.fd < 0)
		return false;
	all = number(&t, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
	file_close(t.fd);
	mappings(own_add, &own);
	return all && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && all - own <= limit.rlim_cur;
}

/*
 * Locks what there is. At first without pages, which shows whether it is permitted. After ENOMEM, all mappings of the program are
 * locked one by one if they alone would have been within the limit.
 */
static int lock_current(int flags)
{
	int result = next(MCL_CURRENT | MCL_ONFAULT);

	if (result < 0 && errno == EINVAL) {	/* Linux before 4.4 */
		result = next(flags);
		if (result == 0)
			mappings(lock_or_not, NULL);
		return result;
	}
	if (result < 0 && !(errno == ENOMEM && fits()))
		return result;
	mappings(lock_or_not, &flags);
	return flags & MCL_FUTURE ? next(flags & ~MCL_CURRENT) : 0;
}

int mlockall(int flags)
{
	int saved = errno, result;

	if (tau_gate.value == GATE_STRANGER || !tau_permitted())
		return next(flags);
	if (flags & MCL_FUTURE)
		maps_stay_unlocked();
	result = flags & MCL_CURRENT && !(flags & ~(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
			 ? lock_current(flags)
			 : next(flags);
	if (result == 0)
		errno = saved;
	return result;
}
