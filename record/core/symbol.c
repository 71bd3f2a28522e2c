/*
 * symbol.c: finds functions of other libraries.
 */
#include "record/core/symbol.h"
#include "record/event/api.h"

#include <dlfcn.h>

/* Allocations of the loader meanwhile, as for the message of a missing symbol, are not recorded as the program's. */
void *symbol_find(void *where, const char *name)
{
	void *p;

	tau_hide();
	p = dlsym(where, name);
	tau_show();
	return p;
}
