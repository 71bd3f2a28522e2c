/*
 * isal.h: loads ISA-L (libisal.so.2), which inflates and deflates faster than zlib, if it is
 * installed; programs are not linked with it.
 */
#ifndef ISAL_H
#define ISAL_H

#include <dlfcn.h>
#include <isa-l/igzip_lib.h>

/*
 * NULL: not installed. Loading it again for each file would take more time than small files do, so
 * it stays loaded after isal_close().
 */
static inline void *isal_open(void)
{
	return dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Sets *function, a pointer to a function, to the one of that name; NULL: there is none. */
static inline void isal_find(void *library, const char *name, void *function)
{
	*(void **)function = library ? dlsym(library, name) : NULL;
}

static inline void isal_close(void *library)
{
	if (library)
		dlclose(library);
}

#endif
