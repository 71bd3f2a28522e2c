/*
 * mpi.c: the MPI wrapper: finds the real functions, and holds the entry points that gen.awk makes of
 * mpi.list.
 *
 * What it records: a region "MPI_Xxx()" in group "MPI" for every call; messages with the world rank
 * of the peer; the bytes of collectives (coll.h); one-sided transfers; reads and writes of files (files.h); communicators; the
 * rank.
 * Recording ends in MPI_Finalize as in any other call: what the calling thread has is written out
 * before the real one.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>

#include "mpi/wrap.h"
#include "mpi/abi.h"
#include "mpi/around.h"
#include "mpi/callers.h"
#include "mpi/coll.h"
#include "mpi/files.h"
#include "mpi/hooks.h"
#include "mpi/identity.h"
#include "mpi/layer.h"
#include "mpi/pool.h"
#include "mpi/spawn.h"
#include "mpi/tool_sample.h"
#include "next.h"
#include "own/own.h"

/* ---- the real functions ---- */

#define ANY_INIT "PMPI_Init"

static int missing(void)
{
	return MPI_ERR_INTERN;
}

/*
 * Data are looked up from the start of the search order, where other modules find them, because the
 * program may hold the copy that is in use. Functions are looked up after this library, so that the
 * result is not our own. A library that was loaded for itself alone (an interpreter's extension did) must not be unloaded.
 */
static void *find(int first, const char *symbol)
{
	void *p = first ? own_first(symbol) : own_next(symbol);

	if (p)
		wrap_keep(p);
	return p;
}

/* ---- another MPI ---- */

int mpi_usable_known;

/* Its handles and constants are others: whatever a hook did with them would be wrong. */
static int is_usable(void)
{
	int (*abi)(int *, int *) = NULL, major = 0, minor;

	*(void **)&abi = find(0, "PMPI_Abi_get_version");
	if (abi && abi(&major, &minor) == MPI_SUCCESS && major >= 1)
		return 0;
	return abi_is();
}

int mpi_usable_find(void)
{
	int saved = errno, known = __atomic_load_n(&mpi_usable_known, __ATOMIC_RELAXED);

	if (known)
		return known == 1;
	tau_hide();
	/* The first call is one of MPI, so the library is there. */
	if (find(0, ANY_INIT)) {
		known = is_usable() ? 1 : -1;
		if (!__atomic_exchange_n(&mpi_usable_known, known, __ATOMIC_RELAXED) && known < 0)
			tau_print("the MPI of this program is not " ABI_NAME ", which the wrapper "
				ABI_WRAPPER " is made for; MPI is not recorded; the other "
				"wrapper is " ABI_OTHER);
	}
	tau_show();
	errno = saved;
	return known == 1;
}

void *wrap_find(const char *symbol)
{
	int saved = errno;
	void *p;

	if (!mpi_usable()) {
		tau_hide();
		p = find(0, symbol);
		tau_show();
		errno = saved;
		return p ? p : (void *)missing;
	}
	tau_hide();
	abi_find();
	p = around(symbol, find(0, symbol));
	tau_show();
	errno = saved;
	return p ? p : (void *)missing;
}

/*
 * A library of the user's that defines the function, too (a load balancer, a validator, a profiler),
 * comes between the program and MPI, as without the recorder: it calls the PMPI_ function itself.
 */
void *wrap_find_below(struct wrap_function *f)
{
	void *real = wrap_real(f), *library, *below;
	int saved = errno;
	Dl_info a, b;

	tau_hide();
	library = own_next(f->symbol);
	below = library ? own_next(f->plain) : NULL;
	if (!below || !dladdr(library, &a) || !dladdr(below, &b) || a.dli_fbase == b.dli_fbase)
		below = real;
	tau_show();
	errno = saved;
	return below;
}

void *wrap_find_data(const char *symbol)
{
	int saved = errno;
	void *p;

	tau_hide();
	p = find(1, symbol);
	tau_show();
	errno = saved;
	return p;
}

/* ---- by hand ---- */

#define EXPORT __attribute__((visibility("default")))

/*
 * The further arguments are for a tool of the user's below this one, and may be anything. A call of
 * a variadic function puts what fits into registers, integers and doubles separately; all of them
 * are passed on, in the same registers.
 */
EXPORT int MPI_Pcontrol(const int level, ...)
{
	struct wrap_function *f = &wrap_table[WRAP_MPI_Pcontrol];
	int on, ret, saved;
	long n[10];
	double x[8];
	va_list more;

	va_start(more, level);
	for (int i = 0; i < 10; i++)
		n[i] = va_arg(more, long);
	va_end(more);
	va_start(more, level);
	for (int i = 0; i < 8; i++)
		x[i] = va_arg(more, double);
	va_end(more);
	if (level == 1)
		Tau_enable_instrumentation();
	on = wrap_begin(f);
	ret = ((int (*)(int, ...))wrap_below(f))(level, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
						x[7], n[0], n[1], n[2], n[3], n[4], n[5], n[6],
						n[7], n[8], n[9]);
	saved = errno;
	if (on)
		wrap_end(f, saved);
	if (level == 0)
		Tau_disable_instrumentation();
	errno = saved;
	return ret;
}

/* The Fortran entry point jumps here. */
EXPORT int PMPI_Pcontrol(const int level, ...) __attribute__((alias("MPI_Pcontrol")));

#define WRAP_ENTRIES
#include "mpi.gen.c"
