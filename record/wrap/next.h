/* next.h: the functions that a wrapper replaces. */
#ifndef WRAP_NEXT_H
#define WRAP_NEXT_H

#include <dlfcn.h>
#include <errno.h>

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
	void *real;

	tau_hide();
	real = dlsym(RTLD_NEXT, symbol);
	tau_show();
	return real ? real : (void *)wrap_missing;
}

#endif
