/* cxx.h: the operators new and delete of C++. */
#ifndef CXX_H
#define CXX_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Finds the real operators of C++. */
void operators_find(void);
/* Is the function the operator delete with a size? */
int cxx_is_delete(uintptr_t function);

#pragma GCC visibility pop
#endif
