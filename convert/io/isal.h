/*
 * isal.h: loads ISA-L (libisal.so.2), which inflates and deflates faster than zlib, if it is
 * installed; programs are not linked with it.
 */
#ifndef ISAL_H
#define ISAL_H

#include <dlfcn.h>
#include <stddef.h>

/* Built without its header ISA-L is as if it were not installed. */
#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/igzip_lib.h>
#define HAVE_ISAL 1
#else
#define HAVE_ISAL 0
#define ISAL_DEF_LVL1_DEFAULT 1
struct isal_zstream;
struct inflate_state;
#endif

/*
 * NULL: not installed. Loading it again for each file would take more time than small files do, so
 * it stays loaded after isal_close().
 */
static inline void *isal_open(void)
{
	return !HAVE_ISAL ? NULL : dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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
