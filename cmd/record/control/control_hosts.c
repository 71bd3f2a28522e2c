/* control_hosts.c: starts a tau-record --control on each host, through a remote shell. */
#include "cmd/record/control/control_hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/shared/find_hosts.h"
#include "cmd/shared/host_list.h"
#include "cmd/shared/message.h"
#include "cmd/shared/shell_word.h"
#include "convert/io/now.h"
#include "convert/io/paths.h"

#define STARTED_MOST 64		   /* at the same time */
#define PATIENCE_NS  60000000000u  /* for a host, besides --wait */
#define NO_ANSWER    -1

extern char **environ;

/* A host that gives the command. */
struct remote_control {
	const struct host_place *place;
	pid_t pid; /* 0: it does not run */
	int ended, status;
	int started;
	FILE *out, *err;	/* while it runs */
	char *text[2];		/* what it has printed on each, after its end */
	uint64_t until;
};

/* Hosts that share a file system must not copy into the same directory. */
static void add_words(struct shell_words *l, char **words, const char *host)
{
	char *to = !strcmp(words[0], "dump") ? path_absolute(words[1]) : NULL;
	char *own = to ? mem_printf("%s.%s", to, host) : NULL;

	shell_words_there(l, "--");
	shell_words_there(l, words[0]);
	if (words[1])
		shell_words_there(l, own ? own : words[1]);
	free(own);
	free(to);
}

static void line_make(struct shell_words *l, const struct control_hosts *on,
		      const struct control_command *c, char **words, const struct host_place *place)
{
	shell_words_remote(l, on->rsh, place->host, on->program);
	shell_words_option(l, "--control", place->path);
	shell_words_option(l, "--rank", c->ranks);
	shell_words_option(l, "--pid", c->pids);
	shell_words_option(l, "--wait", c->wait);
	add_words(l, words, place->host);
}

/* The other processes do not get it. */
static FILE *file_new(void)
{
	FILE *f = tmpfile();

	if (f)
		fcntl(fileno(f), F_SETFD, FD_CLOEXEC);
	return f;
}

/* The lines of a file, which is closed. Control characters, which a terminal would obey, become blanks. */
static char *file_text(FILE *f)
{
	size_t size, n = 0;
	char *text;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	size = (size_t)ftell(f);
	text = mem_alloc(size + 1);
	rewind(f);
	for (int c; n < size && (c = getc(f)) != EOF; n++)
		text[n] = c != '\n' && (c < ' ' || c == 127) ? ' ' : (char)c;
	fclose(f);
	return text;
}

static void files_receive(struct remote_control *r)
{
	if (!r->out && !r->err)
		return;
	r->text[0] = file_text(r->out);
	r->text[1] = file_text(r->err);
	r->out = r->err = NULL;
}

/* 0, or an error: it cannot be started. */
static int start(struct remote_control *r, char **argv, uint64_t wait, struct error *e)
{
	posix_spawn_file_actions_t files;
	int code = 0;

	r->started = 1;
	r->until = (uint64_t)now_ns() + wait + PATIENCE_NS;
	r->out = file_new();
	r->err = file_new();
	if (!r->out || !r->err)
		return error_set(e, ERROR_SYSTEM, "no temporary file: %s", strerror(errno));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, fileno(r->out), 1);
	posix_spawn_file_actions_adddup2(&files, fileno(r->err), 2);
	code = posix_spawnp(&r->pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (!code)
		return 0;
	r->pid = 0;
	return error_set(e, ERROR_SYSTEM, "%s cannot be started: %s", argv[0], strerror(code));
}

/* Takes the end of one that has ended, or has not answered in time. */
static void end_receive(struct remote_control *r)
{
	int status = 0;

	if (waitpid(r->pid, &status, WNOHANG) == 0) {
		if ((uint64_t)now_ns() < r->until)
			return;
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
		r->status = NO_ANSWER;
	} else {
		r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	r->pid = 0;
	r->ended = 1;
	files_receive(r);
}

/* At the end none of them runs. */
static int run_all(struct remote_control *r, size_t n, const struct control_hosts *on,
		   const struct control_command *c, char **words, uint64_t wait, struct error *e)
{
	size_t running, waiting;

	do {
		running = waiting = 0;
		for (size_t i = 0; i < n; i++)
			if (r[i].pid)
				end_receive(&r[i]);
		for (size_t i = 0; i < n; i++)
			running += r[i].pid != 0;
		for (size_t i = 0; i < n && !e->code; i++) {
			struct shell_words l = {0};

			if (r[i].started || running == STARTED_MOST) {
				waiting += !r[i].started;
				continue;
			}
			line_make(&l, on, c, words, r[i].place);
			running += !start(&r[i], l.v, wait, e);
			shell_words_release(&l);
		}
		if (running)
			nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	} while (running || (waiting && !e->code));
	return e->code;
}

static void print(const char *text, const char *host, FILE *to)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		fprintf(to, "%s: %.*s\n", host, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* 0, 1 or CONTROL_NONE, or an error. */
static int result(const struct remote_control *r, size_t n, const struct control_command *c,
		  struct error *e)
{
	size_t failed = 0, none = 0;
	int late = 0;

	for (size_t i = 0; i < n; i++) {
		int status = r[i].status;

		none += status == CONTROL_NONE;
		/* A selection is for some hosts. Without one the host has no process of the run, or its shell has failed. */
		if (status == CONTROL_NONE && (c->ranks || c->pids))
			continue;
		print(r[i].text[0], r[i].place->host, stdout);
		print(r[i].text[1], r[i].place->host, stderr);
		if (status == NO_ANSWER)
			text_printf(stderr, "%s: no answer\n", r[i].place->host);
		late |= status == 1;
		failed += status != 0 && status != 1 && status != CONTROL_NONE;
	}
	if (failed)
		return error_set(e, ERROR_SYSTEM,
				 "the command failed on %zu of %zu hosts: see above", failed,
				 n);
	if (none < n)
		return late;
	error_set(e, ERROR_INPUT,
		  c->ranks || c->pids ? "no process that runs on these hosts is selected"
				      : "%s: no process on these hosts takes commands", c->run);
	return CONTROL_NONE;
}

int control_hosts(const struct control_hosts *on, const struct control_command *c, char **words,
		  struct error *e)
{
	char *path = path_absolute(c->run);
	struct host_list list = {0};
	struct remote_control *r = NULL;
	int64_t wait = 0;
	int code = control_command_check(words, e);

	signal(SIGCHLD, SIG_DFL); /* if it is ignored, exit statuses are lost */
	code = code ? code : control_wait(c, &wait, e);
	if (!code && on->names && !strcmp(on->names, "auto"))
		code = find_hosts(c->run, path, &list, e);
	else if (!code && on->names)
		host_list_names(&list, on->names, path);
	if (!code && on->file)
		code = host_list_file(&list, on->file, path, e);
	if (!code)
		code = host_list_check(&list, e);
	if (!code) {
		r = mem_alloc((list.place_n + 1) * sizeof(*r));
		for (size_t i = 0; i < list.place_n; i++)
			r[i] = (struct remote_control){.place = &list.place[i]};
		code = run_all(r, list.place_n, on, c, words, wait, e);
		if (!code)
			code = result(r, list.place_n, c, e);
	}
	for (size_t i = 0; r && i < list.place_n; i++) {
		files_receive(&r[i]);
		free(r[i].text[0]);
		free(r[i].text[1]);
	}
	free(r);
	host_list_release(&list);
	free(path);
	return code;
}
