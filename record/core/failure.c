/*
 * failure.c: one line on stderr, and the end of recording when something failed.
 */
#include "record/core/failure.h"
#include "record/core/calls_up.h"
#include "record/core/gate.h"
#include "record/core/process.h"
#include "record/core/thread.h"
#include "record/format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Prints one line on stderr, in one write, without stdio. */
void say(const char *format, ...)
{
	char line[1024];
	va_list args;
	int n, saved = errno;

	n = snprintf(line, sizeof(line), "tau: ");
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		errno = saved;
	errno = saved;
}

void recording_over(const char *why)
{
	calls_up.over(why);
}

/* Switches the recorder off for good, because a failure must not harm the program. What was recorded stays readable. */
void process_fail(int error, const char *what, const char *path)
{
	process.error = error;
	tau_gate.value = GATE_DEAD;
	if (self.live) {
		self.live->error = (uint32_t)error;
		self.live->state = TAU_LIVE_STOPPED;
	}
	if (__atomic_exchange_n(&process.failed, true, __ATOMIC_RELAXED) ||
	    process.delayed == error)
		return;
	say("recording of process %u stopped: %s%s%s: %s; the program goes on", process.pid, what,
	    path ? " " : "", path ? path : "", strerrordesc_np(error));
}
