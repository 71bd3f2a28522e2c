/* isal.h: ISA-L, which inflates and deflates faster than zlib, where it is installed (libisal.so.2); it is not linked. */
#ifndef ISAL_H
#define ISAL_H

#include <dlfcn.h>
#include <isa-l/igzip_lib.h>

/* NULL: it is not there. Loading it again for each file would cost more than small files do: it stays when it is closed. */
static inline void *isal_open(void)
{
	return dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* *function, a pointer to one: what has that name there; NULL: nothing has. */
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
