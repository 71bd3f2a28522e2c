/*
 * identity.c: the identity of a process: its number, its name in the files, and the time of its begin.
 */
#include "record/life/identity.h"
#include "record/base/clock.h"
#include "record/base/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* host.pid, made safe for a file name. */
static void make_prefix(void)
{
	struct utsname u;
	char *c;

	if (uname(&u) < 0)
		strcpy(u.nodename, "host");
	snprintf(process.prefix, sizeof(process.prefix), "%.64s.%u", u.nodename, process.pid);
	for (c = process.prefix; *c; c++)
		if (*c == '/' || *c <= ' ' || *c == 127)
			*c = '_';
}

void new_identity(void)
{
	struct timespec now;
	uint64_t real;

	process.pid = (uint32_t)getpid();
	if (getrandom(&process.id, sizeof(process.id), GRND_NONBLOCK) != sizeof(process.id)) {
		clock_gettime(CLOCK_REALTIME, &now);
		process.id =
			((uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec) * 0x9e3779b97f4a7c15u +
			process.pid;
	}
	make_prefix();
	process.named = false;
	clocks_read(process.shift, &process.start_tick, &process.start_ns, &real);
}
