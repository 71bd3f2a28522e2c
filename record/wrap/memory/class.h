/* class.h: class descriptors: registered, or found by looking at an object. */
#ifndef CLASS_H
#define CLASS_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A class descriptor as Open MPI 4 and PMIx 3 to 5 lay it out. */
struct descriptor {
	const char *name;
	struct descriptor *parent;
	void (*construct)(void *);
	void (*destruct)(void *);
	int initialized;
	int depth;
	void (**construct_array)(void *);
	void (**destruct_array)(void *);
	size_t size;
};
/*
 * The first two have descriptors, with class_find() and members; objects of the others are identified only in a
 * census.
 */
enum class_family { FAMILY_OPAL, FAMILY_PMIX, FAMILIES, FAMILY_CXX = FAMILIES, FAMILY_PYTHON, FAMILY_RULE };

#define CLASS_MAX 4096
struct class {
	const struct descriptor *descriptor;	/* only its address is used: the object that holds it may be unloaded */
	const char *name;	/* our copy */
	size_t size;
	uint32_t parent;	/* class, 0 = none */
	uint16_t library;	/* that holds the descriptor */
	uint8_t family;
	uint8_t dead;		/* the descriptor was unloaded */
	uint8_t found;		/* by looking at an object, not by registration */
};
extern struct class *classes;
extern unsigned class_n;	/* classes are 1 ... class_n */
extern size_t class_largest;	/* size of the largest */
extern unsigned family_offset[FAMILIES];	/* of the class pointer in an object, bytes */

/* found: is called with each library that has its first class. */
int class_init(void (*found)(unsigned library));
/* Class of a descriptor, 0 when unknown. */
unsigned class_find(const void *descriptor);
/* Registers a descriptor that has been initialized; returns its class, 0 when there is no room. */
unsigned class_add(const struct descriptor *d, unsigned family);
/* Enters a class that has no descriptor: it is found by its name only. Returns the class, 0 without room. */
unsigned class_add_foreign(uintptr_t key, const char *name, unsigned family);
/* Class of the object at p (readable for `size` bytes), 0 when there is no known class pointer. */
unsigned class_of_object(const void *p, size_t size);
/* The same by full inspection of what the first words point to; registers what it finds. Only in a census. */
unsigned class_discover(const void *p, size_t size);
/* Class of the descriptor there if it is one of this family, which is registered then; 0: none. Only in a census. */
unsigned class_there(const void *descriptor, unsigned family);
/* Registers every class that the words point to and that fits into `size` bytes. Only in a census. */
void class_discover_words(const uint64_t *word, size_t n, size_t size);
/* Is a block of `size` bytes one object of the class? Allocators of objects ask for exactly its size. */
static inline int class_fits(unsigned class, size_t size)
{
	return class && classes[class].size <= size && size < classes[class].size + 16;
}
void class_unloaded(void);

#pragma GCC visibility pop
#endif
