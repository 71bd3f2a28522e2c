/*
 * hook.c: compiler hooks that do only what is asked by HOOK: 0 nothing, 1 read the clock, 2 count. Preloaded into
 * the program, they are the floor that a recorder is compared with. Counting writes the number of events to the file named by HOOK_FILE.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

#define TLS static __thread __attribute__((tls_model("initial-exec")))
#define SILENT __attribute__((no_instrument_function))

TLS unsigned long long last, events;

SILENT static inline void hook(void)
{
	if (HOOK == 1)
		last = __rdtsc();
	if (HOOK == 2)
		events++;
}

SILENT void __cyg_profile_func_enter(void *f, void *from)
{
	(void)f, (void)from;
	hook();
}

SILENT void __cyg_profile_func_exit(void *f, void *from)
{
	(void)f, (void)from;
	hook();
}

SILENT __attribute__((destructor)) static void end(void)
{
	const char *name = getenv("HOOK_FILE");

	if (HOOK == 2 && name) {
		int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

		dprintf(fd, "%llu\n", events);
		close(fd);
	}
}
