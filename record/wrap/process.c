/*
 * process.c: the wrapper of functions that start processes: fork, exec, spawn, wait, and the
 * loading of libraries.
 *
 * Children record by themselves: the recorder notices a fork, and a new program finds the recorder
 * in its environment. This file holds the regions of the calls, and handles what ends without exit
 * handlers: before an exec and before _exit the files of the thread are completed, so that a chain
 * of programs leaves no live file. An exec that fails returns, and the recording continues.
 *
 * A child of vfork runs in its parent's memory. Its events are recorded as the parent's, inside
 * vfork().
 */
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "next.h"
#include "process/process.h"

void *wrap_find(const char *symbol)
{
	return wrap_next(symbol);
}

static void ending(void)
{
	tau_ending();
}

/* Functions are looked up before the program runs: it may call them where dlsym is not allowed, in
 * signal handlers. */
static __attribute__((constructor)) void begin(void)
{
	for (int i = 0; i < WRAP_FUNCTIONS; i++)
		wrap_real(&wrap_table[i]);
	at_quick_exit(ending);
}

#define WRAP_ENTRIES
#include "process.gen.c"

/* ---- exec ---- */

/* A call without duration, because no code runs after it; a failing exec takes hardly any time. */
static inline void exec_mark(struct wrap_function *f)
{
	if (!wrap_begin(f))
		return;
	wrap_end(f, errno);
	tau_ending();
}

#define EXEC(name, parameters, arguments) \
	WRAP_EXPORT int name parameters \
	{ \
		exec_mark(&wrap_table[WRAP_##name]); \
		return real_##name arguments; \
	}
EXEC(execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
EXEC(execv, (const char *path, char *const argv[]), (path, argv))
EXEC(execvp, (const char *file, char *const argv[]), (file, argv))
EXEC(execvpe, (const char *file, char *const argv[], char *const envp[]), (file, argv, envp))
EXEC(fexecve, (int fd, char *const argv[], char *const envp[]), (fd, argv, envp))
EXEC(execveat, (int fd, const char *path, char *const argv[], char *const envp[], int flags),
     (fd, path, argv, envp, flags))

/* The same with the arguments one by one: they are counted, then gathered on the stack. */
#define EXEC_LIST(name, file, take_environment, call) \
	WRAP_EXPORT int name(const char *file, const char *arg, ...) \
	{ \
		int n = 1; \
		va_list args; \
\
		va_start(args, arg); \
		for (const char *a = arg; a; n++) \
			a = va_arg(args, const char *); \
		va_end(args); \
		char *argv[n]; \
\
		va_start(args, arg); \
		argv[0] = (char *)arg; \
		for (int i = 1; i < n; i++) \
			argv[i] = va_arg(args, char *); \
		take_environment; \
		va_end(args); \
		exec_mark(&wrap_table[WRAP_##name]); \
		return call; \
	}
EXEC_LIST(execl, path, , real_execv(path, argv))
EXEC_LIST(execlp, file, , real_execvp(file, argv))
EXEC_LIST(execle, path, char **envp = va_arg(args, char **), real_execve(path, argv, envp))

/* ---- ends ---- */

WRAP_EXPORT void _exit(int status)
{
	tau_ending();
	real__exit(status);
	__builtin_unreachable();
}

WRAP_EXPORT void _Exit(int status)
{
	_exit(status);
}

/* The parent ends inside, without exit handlers; the child returns. */
WRAP_EXPORT int daemon(int stay, int noisy)
{
	exec_mark(&wrap_table[WRAP_daemon]);
	return real_daemon(stay, noisy);
}
