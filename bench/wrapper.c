/* wrapper.c: malloc and free that pass on, and count blocks: the least that any wrapper of them costs. To be preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static void *(*real_malloc)(size_t);
static void (*real_free)(void *);
static __thread __attribute__((tls_model("initial-exec"))) unsigned long blocks;

static __attribute__((constructor)) void find(void)
{
	*(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&real_free = dlsym(RTLD_NEXT, "free");
}

void *malloc(size_t size)
{
	void *p;

	if (!real_malloc)
		find();
	p = real_malloc(size);
	blocks += p != NULL;
	return p;
}

void free(void *p)
{
	if (!real_free)
		find();
	real_free(p);
}
