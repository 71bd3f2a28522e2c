/* program_run.c: starts the program and waits for it. */
#include "cmd/record/launch/program_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code, as env(1) uses it. */
enum { EXIT_CANNOT_RUN = 126 };

static pid_t child;
static mode_t mask_given;

static void forward(int signal)
{
	int saved = errno;

	if (child > 0)
		kill(child, signal);
	errno = saved;
}

/* Signals that a launcher or user sends to us are for the program; those from the terminal reach it anyway. */
static const int forwarded[] = {SIGTERM, SIGHUP,  SIGUSR1,  SIGUSR2,
				SIGCONT, SIGALRM, SIGWINCH, SIGURG};
static const int ignored[] = { SIGINT, SIGQUIT };
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static struct sigaction before_forwarded[COUNT(forwarded)], before_ignored[COUNT(ignored)];

/* Our own files must be accessible to us, whatever the umask is, which the program gets as it was. */
void program_umask_narrow(void)
{
	mask_given = umask(0);
	umask(mask_given & 077);
}

void program_signals_forward(void)
{
	struct sigaction a = { .sa_handler = forward, .sa_flags = SA_RESTART };
	struct sigaction i = { .sa_handler = SIG_IGN };

	for (size_t k = 0; k < COUNT(forwarded); k++) {
		sigaction(forwarded[k], NULL, &before_forwarded[k]);
		if (before_forwarded[k].sa_handler != SIG_IGN)
			sigaction(forwarded[k], &a, NULL);
	}
	for (size_t k = 0; k < COUNT(ignored); k++)
		sigaction(ignored[k], &i, &before_ignored[k]);
}

/* The program starts with the signals as they were given to us. */
static void signals_restore(void)
{
	for (size_t k = 0; k < COUNT(forwarded); k++)
		sigaction(forwarded[k], &before_forwarded[k], NULL);
	for (size_t k = 0; k < COUNT(ignored); k++)
		sigaction(ignored[k], &before_ignored[k], NULL);
}

static uint64_t cpu_ns(const struct rusage *u)
{
	return ((uint64_t)u->ru_utime.tv_sec + (uint64_t)u->ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)u->ru_utime.tv_usec + (uint64_t)u->ru_stime.tv_usec) * 1000;
}

static void seen(void *place)
{
	run_seen_write(place);
}

/* Until it may be waited for, as far as the kernel can report that. */
static void seen_wait(struct run_place *place)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	int ms = 0, ready = 0;

	while (end.fd >= 0 && ms >= 0 && (ready == 0 || (ready < 0 && errno == EINTR))) {
		ms = run_seen_write(place);
		ready = poll(&end, 1, ms);
	}
	if (end.fd >= 0)
		close(end.fd);
}

int program_run(const struct target *t, char **argv, const sigset_t *mask, const char *directory,
		const struct job *job, struct run_place *place, struct cpu_samples **samples)
{
	struct rusage used = {0};
	int fd[2], go[2], error = 0, status;

	if (pipe2(fd, O_CLOEXEC) < 0 || pipe2(go, O_CLOEXEC) < 0)
		return -1 - errno;
	child = fork();
	if (child < 0)
		return -1 - errno;
	if (child == 0) {
		signals_restore();
		umask(mask_given);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Until there is what samples it, from the program's first instruction on. */
		close(go[1]);
		while (read(go[0], &error, 1) < 0 && errno == EINTR)
			;
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(t->path, argv);
		error = errno;
		if (write(fd[1], &error, sizeof(error)) < 0)
			_exit(EXIT_CANNOT_RUN);
		_exit(EXIT_CANNOT_RUN);
	}
	run_enter(directory, job, child, place);
	if (samples)
		*samples = cpu_samples_start(child);
	close(go[0]);
	close(go[1]);
	sigprocmask(SIG_SETMASK, mask, NULL);
	close(fd[1]);
	while (read(fd[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (samples && *samples)
		cpu_samples_wait(*samples, child, seen, place);
	else if (!error)
		seen_wait(place);
	while (wait4(child, &status, 0, &used) < 0 && errno == EINTR)
		;
	place->row.cpu_ns = cpu_ns(&used);
	child = 0;
	return error ? -1 - error : status;
}

int program_end_like(int status)
{
	static const struct rlimit none;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
