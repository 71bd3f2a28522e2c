/*
 * failure.c: one line on stderr, and the end of recording when something failed.
 */
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/format.h"
#include "record/own/own.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What stderr was at the start. */
static struct {
	bool looked;
	uint64_t device, inode, special;
	uint32_t kind;
} error_output;

/*
 * A program may close stderr and open a file, which then has its number: nothing of ours may get into that file. So stderr is what
 * tau-record had; without tau-record, what the process began with.
 */
void errors_begin(void)
{
	const char *known = getenv("TAU_RECORD_STDERR");
	struct stat st = {0};

	if (error_output.looked)
		return;
	error_output.looked = true;
	if (known) {
		char *at;

		error_output.device = strtoull(known, &at, 16);
		error_output.inode = strtoull(at + (*at == ':'), &at, 16);
		error_output.special = strtoull(at + (*at == ':'), &at, 16);
		error_output.kind = (uint32_t)strtoull(at + (*at == ':'), NULL, 16);
	} else if (fstat(STDERR_FILENO, &st) == 0) {
		error_output.device = st.st_dev;
		error_output.inode = st.st_ino;
		error_output.special = st.st_rdev;
		error_output.kind = st.st_mode & S_IFMT;
	}
}

static bool errors_there(void)
{
	struct stat st;

	errors_begin();
	return error_output.kind && fstat(STDERR_FILENO, &st) == 0 &&
	       st.st_dev == error_output.device && st.st_ino == error_output.inode &&
	       st.st_rdev == error_output.special && (st.st_mode & S_IFMT) == error_output.kind;
}

static void line_print(const char *line, size_t n)
{
	int saved = errno;

	if (!errors_there() || system_call(SYS_write, STDERR_FILENO, line, n) != (long)n)
		message_keep(line, n);
	errno = saved;
}

/* Prints one line on stderr, in one write, without stdio. */
void message_print(const char *format, ...)
{
	char line[1024];
	va_list args;
	int n;

	n = snprintf(line, sizeof(line), "tau: ");
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	line_print(line, (size_t)n);
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
	message_print("recording of process %u stopped: %s%s%s: %s; the program goes on",
		      process.pid, what, path ? " " : "", path ? path : "", strerrordesc_np(error));
}
