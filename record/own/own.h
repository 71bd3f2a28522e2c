/*
 * own.h: what the recorder has of its own in place of the C library, whose functions the program
 * and preloaded libraries may replace.
 *
 * The other files of this folder define functions under the names that they have in the C library,
 * but hidden: the linker takes them for each library of the recorder by itself, and nothing outside
 * it sees them.
 */
#ifndef OWN_H
#define OWN_H

#ifdef __cplusplus
extern "C" {
#endif

/* A system call, as syscall() makes it: -1 and errno on failure. It is no point of cancellation,
 * and no wrapper wraps it. */
long system_call(long number, ...) __attribute__((visibility("hidden")));
/* The function of the next object in the search order after the library that this is linked into:
 * dlsym(RTLD_NEXT). NULL: none. */
void *own_next(const char *name) __attribute__((visibility("hidden")));
/* The same among the objects that were there at the start. */
void *own_next_at_start(const char *name) __attribute__((visibility("hidden")));
/* The first one: dlsym(RTLD_DEFAULT). */
void *own_first(const char *name) __attribute__((visibility("hidden")));
/* That of an object that dlopen() returned, or of what it needs. Unlike dlsym() these leave no text
 * for dlerror(). */
void *own_of(void *object, const char *name) __attribute__((visibility("hidden")));
/* The same for the object that this code is in. */
void *own_of_code(const void *code, const char *name) __attribute__((visibility("hidden")));
/* That of the C library, not of what precedes it in the search order. NULL: it has none. */
void *own_libc(const char *name) __attribute__((visibility("hidden")));
/* A function that the kernel brings with it (vDSO). NULL: it has none. */
void *own_vdso(const char *name) __attribute__((visibility("hidden")));
/*
 * A handle of the library of that name (as dlopen() takes it, without a directory), which is loaded
 * if it is not (load: 1) or only if it is (0). NULL: it is not there, or not loaded. A library that
 * is not there leaves no text for dlerror().
 */
void *own_library(const char *name, int load) __attribute__((visibility("hidden")));
void own_close(void *library) __attribute__((visibility("hidden")));

/* A number that each thread has for itself while it runs. gcc has no builtin for it on POWER. */
static inline unsigned long thread_pointer(void)
{
#if defined(__powerpc64__)
	register unsigned long pointer __asm__("r13");

	__asm__("" : "=r"(pointer));
	return pointer;
#else
	return (unsigned long)__builtin_thread_pointer();
#endif
}

/* In a loop that waits for another processor. */
static inline void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#ifdef __cplusplus
}
#endif
#endif
