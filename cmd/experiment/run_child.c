/* run_child.c: starts a command, waits for it, and ends it in order. */
#include "cmd/experiment/run_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyze/base/quantity.h"
#include "convert/io/now.h"
#include "convert/io/text_file.h"

#define LOOK_NS     500000000   /* between two lines of progress */
#define PATIENCE_NS 10000000000 /* after SIGTERM */

void run_signals_begin(struct run_signals *s)
{
	*s = (struct run_signals){0};
	sigemptyset(&s->waited);
	sigaddset(&s->waited, SIGINT);
	sigaddset(&s->waited, SIGTERM);
	sigaddset(&s->waited, SIGHUP);
	sigaddset(&s->waited, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &s->waited, &s->before);
}

/* The signal that arrives within this time; 0: none does. */
static int wait_for(const struct run_signals *s, int64_t ns)
{
	const struct timespec left = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	int got = sigtimedwait(&s->waited, NULL, &left);

	return got > 0 ? got : 0;
}

int run_signals_check(struct run_signals *s, int64_t wait_ns)
{
	int got = s->stopped ? 0 : wait_for(s, wait_ns);

	if (got && got != SIGCHLD)
		s->stopped = got;
	return s->stopped != 0;
}

static int open_for(const char *input, const char *output, int out[2])
{
	out[0] = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
	out[1] = output ? open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
	return out[0] < 0 || (output && out[1] < 0) ? -1 : 0;
}

/* In the child. */
static void become(const struct run_signals *s, const struct run_child *c, const int file[2],
		   pid_t parent, int failed)
{
	char *const *argv = c->argv;
	int error;

	if (c->output)
		setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	dup2(file[0], 0);
	if (c->output) {
		dup2(file[1], 1);
		dup2(file[1], 2);
	}
	for (; *argv && strchr(*argv, '=') && argv[1]; argv++)
		putenv(*argv);
	if (getppid() == parent)
		execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* 0: it runs. Otherwise errno. */
static int start(const struct run_signals *s, const struct run_child *c, pid_t *pid)
{
	int file[2] = {-1, -1}, failed[2] = {-1, -1}, error = 0;
	pid_t parent = getpid();

	*pid = -1;
	if (!open_for(c->input, c->output, file) && !pipe2(failed, O_CLOEXEC))
		*pid = fork();
	if (!*pid)
		become(s, c, file, parent, failed[1]);
	if (*pid < 0)
		error = errno;
	else if (c->output)
		setpgid(*pid, *pid);
	if (failed[1] >= 0)
		close(failed[1]);
	if (*pid > 0 && read(failed[0], &error, sizeof(error)) == sizeof(error))
		waitpid(*pid, NULL, 0);
	for (int i = 0; i < 2; i++)
		if (file[i] >= 0)
			close(file[i]);
	if (failed[0] >= 0)
		close(failed[0]);
	return error;
}

static void show(const struct run_child *c, int64_t took)
{
	char text[QUANTITY_TEXT], *words;

	if (!c->progress)
		return;
	words = mem_printf("%s, %s", c->words,
			   quantity_in_text((double)(took / 1000000000), 0, "s", text));
	progress_words(c->progress, words);
	free(words);
}

int run_child(struct run_signals *s, const struct run_child *c, struct error *e)
{
	int64_t begin = now_ns(), ended = 0;
	pid_t pid;
	int error = start(s, c, &pid);

	if (error)
		return error_set(e, ERROR_SYSTEM, "%s: %s", c->argv[0], strerror(error));
	while (waitpid(pid, c->status, WNOHANG) == 0) {
		int got = wait_for(s, LOOK_NS);

		if (got && got != SIGCHLD) {
			s->stopped = got;
			kill(ended && c->output ? -pid : pid, ended ? SIGKILL : SIGTERM);
			ended = ended ? ended : now_ns();
		}
		if (ended && now_ns() - ended > PATIENCE_NS)
			kill(c->output ? -pid : pid, SIGKILL);
		show(c, now_ns() - begin);
	}
	if (c->progress)
		progress_end(c->progress);
	return 0;
}

char *run_line_of(const char *path, enum run_line which)
{
	struct error none = {0};
	FILE *f = text_fopen(path, &none);
	char *text = NULL, *found = NULL;
	size_t cap = 0;

	while (f && (!found || which == RUN_LINE_LAST) && getline(&text, &cap, f) > 0) {
		const char *line = text_trim(text);

		if (!*line)
			continue;
		free(found);
		found = mem_string(line);
	}
	if (f)
		fclose(f);
	free(text);
	return found;
}

int run_capture(struct run_signals *s, const struct run_child *c, enum run_line which, char **line,
		struct error *e)
{
	const char *folder = getenv("TMPDIR");
	char *path = mem_printf("%s/tau-experiment.XXXXXX", folder && *folder ? folder : "/tmp");
	struct run_child captured = *c;
	int fd = mkostemp(path, O_CLOEXEC), code;

	*line = NULL;
	captured.output = path;
	if (fd < 0) {
		code = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	} else {
		code = run_child(s, &captured, e);
		*line = run_line_of(path, which);
		close(fd);
		unlink(path);
	}
	free(path);
	return code;
}

char *run_status_text(int status)
{
	return WIFSIGNALED(status)
		       ? mem_printf("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)))
		       : mem_printf("exit status %d", WEXITSTATUS(status));
}
