/* next.h: the functions that a wrapper replaces. */
#ifndef WRAP_NEXT_H
#define WRAP_NEXT_H

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "own/own.h"
#include "tau.h"

/* For a function that this libc does not have: no program can be linked with it. */
static long wrap_missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* The function of that name in the next library; never NULL. */
static inline void *wrap_next(const char *symbol)
{
	void *real = own_next(symbol);

	return real ? real : (void *)wrap_missing;
}

/* The object that a function is in, which may be one that the program opened later and can close, stays loaded from now on. */
static inline void wrap_keep(const void *function)
{
	static uintptr_t kept;
	struct tau_object o;

	if (tau_object((uintptr_t)function, &o) != 1 || !*o.name || o.base == kept)
		return;
	tau_hide();
	if (dlopen(o.name, RTLD_LAZY | RTLD_NOLOAD))
		kept = o.base;
	tau_show();
}

#endif
