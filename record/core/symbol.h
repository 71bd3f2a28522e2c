/*
 * symbol.h: finds functions of other libraries without recording what the loader allocates.
 */
#ifndef SYMBOL_H
#define SYMBOL_H

/* dlsym(where, name). */
void *symbol_find(void *where, const char *name);

#endif
