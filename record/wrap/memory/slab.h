/* slab.h: blocks that hold many objects at equal distances. */
#ifndef SLAB_H
#define SLAB_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/*
 * Class of the objects that fill a block at equal distances, 0 when it is no slab. From the first object to the end of the
 * block nearly every place must hold one, and they must make up two thirds of the block.
 */
struct read_window;
unsigned slab_class(struct read_window *w, uintptr_t block, size_t size);
#define SLAB_SMALLEST 256

#pragma GCC visibility pop
#endif
