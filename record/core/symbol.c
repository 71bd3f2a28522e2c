/*
 * symbol.c: finds functions of other libraries.
 */
#include "record/core/symbol.h"
#include "record/core/api.h"

#include <dlfcn.h>

/* What the loader allocates meanwhile, as for the message of a symbol that is not there, is no block of the program's. */
void *symbol_find(void *where, const char *name)
{
	void *p;

	tau_hide();
	p = dlsym(where, name);
	tau_show();
	return p;
}
