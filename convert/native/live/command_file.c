/* command_file.c: makes the file that the processes of a run map, and appends commands to it. */
#include "convert/native/live/command_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "record/format.h"
#include "record/requests.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"

#define WATCH_FILE ".watch."

/* The file of this host: what is mapped has to be memory that its processes share, also if hosts share the directory. */
static char *watch_file(void)
{
	struct utsname here;
	char *name = mem_printf(WATCH_FILE "%.64s", uname(&here) ? "host" : here.nodename);

	for (char *c = name; *c; c++)
		if (*c == '/' || *c <= ' ' || *c == 127)
			*c = '_';
	return name;
}

/* Only the run's owner may command it, so no other user may open the file, even in a shared run. */
char *command_file_make(const char *directory, struct error *e)
{
	struct tau_commands *w = mem_alloc(sizeof(*w));
	char *file = watch_file(), *hidden = mem_printf("%s.%ld", file, (long)getpid());
	char *path = NULL;
	int at = run_directory(directory), good;
	int fd = at < 0 ? -1 : run_file_new(at, hidden, 0600);

	memcpy(w->magic, TAU_COMMANDS_MAGIC, sizeof(w->magic));
	good = fd >= 0 && run_file_write(fd, w, sizeof(*w), 0) == 0;
	if (fd >= 0 && !good) {
		int why = errno;

		close(fd);
		errno = why;
	} else if (fd >= 0) {
		good = close(fd) == 0;
	}
	good = good && (linkat(at, hidden, at, file, 0) == 0 || errno == EEXIST);
	if (good)
		path = mem_printf("%s/%s", directory, file);
	else
		error_set(e, ERROR_SYSTEM, "%s/%s: cannot write: %s", directory, file,
			  strerror(errno));
	if (at >= 0) {
		unlinkat(at, hidden, 0);
		close(at);
	}
	free(file);
	free(hidden);
	free(w);
	return path;
}

/* Whose run it is. -1 and errno: there is no such directory. */
static int owner_get(const char *directory, uid_t *out)
{
	int at = run_directory(directory), bad;
	struct stat st;

	bad = (at < 0 || fstatat(at, RUN_JOB_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0) &&
	      stat(directory, &st) < 0;
	if (at >= 0)
		close(at);
	*out = bad ? 0 : st.st_uid;
	return bad ? -1 : 0;
}

enum { LOCK_LIMIT_MS = 10000 }; /* a command takes far less */

/* The file of commands, locked; -1: see errno, ENOENT: there is none, EINVAL: it is not such a file. */
static int command_file_open(const char *directory)
{
	int at = run_directory(directory);
	char *file = watch_file();
	int fd = at < 0 ? -1 : run_file_open(at, file, O_RDWR | O_NONBLOCK), why = errno;
	struct stat st;

	free(file);
	if (at >= 0)
		close(at);
	if (fd >= 0 && run_file_lock(fd, LOCK_LIMIT_MS) == 0 && fstat(fd, &st) == 0) {
		if (S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
		    st.st_size == (off_t)sizeof(struct tau_commands))
			return fd;
		why = EINVAL;
	} else if (fd >= 0) {
		why = errno;
	}
	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

static void command_file_close(struct tau_commands *w, int fd)
{
	if (w != MAP_FAILED)
		munmap(w, sizeof(*w));
	if (fd >= 0)
		close(fd);
}

/* Maps the commands of a run that is the caller's; *fd is to be closed with command_file_close(). NULL: see e. */
static struct tau_commands *command_file_map(const char *directory, int *fd, struct error *e)
{
	struct tau_commands *w = MAP_FAILED;
	uid_t owner;

	*fd = -1;
	if (owner_get(directory, &owner) < 0) {
		error_set(e, ERROR_SYSTEM, "%s: %s", directory, strerror(errno));
		return NULL;
	}
	if (owner != geteuid()) {
		error_set(e, ERROR_INPUT,
			  "%s: only the owner of the run (uid %u) may control it", directory,
			  (unsigned)owner);
		return NULL;
	}
	*fd = command_file_open(directory);
	if (*fd < 0 && errno == ENOENT) {
		error_set(e, COMMAND_FILE_NONE,
			  "%s: this run takes no commands on this host, or has ended without one",
			  directory);
		return NULL;
	}
	if (*fd >= 0)
		w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (w != MAP_FAILED && !memcmp(w->magic, TAU_COMMANDS_MAGIC, sizeof(w->magic)))
		return w;
	if (w == MAP_FAILED && errno != EINVAL)
		error_set(e, ERROR_INPUT, "%s: its command file cannot be used: %s", directory,
			  strerror(errno));
	else
		error_set(e, ERROR_INPUT, "%s: its command file is damaged", directory);
	command_file_close(w, *fd);
	return NULL;
}

static int runs(uint32_t pid)
{
	return pid && pid <= INT32_MAX && (!kill((pid_t)pid, 0) || errno == EPERM);
}

/* The ranks that the launcher gave the processes of the run on this host; -1: none. */
static void ranks_find(const char *directory, struct command_state *s)
{
	int at = run_directory(directory);
	struct tau_process_row here;
	struct run_processes all;

	if (at < 0 || run_processes_open(at, 0, &all) < 0) {
		if (at >= 0)
			close(at);
		return;
	}
	run_process_here(&here);
	for (size_t i = 0; i < s->process_n; i++)
		for (size_t k = 0; k < all.row_n; k++)
			if (all.row[k].pid == s->process[i].pid &&
			    !strncmp(all.row[k].host, here.host, sizeof(here.host)))
				s->process[i].rank = all.row[k].rank;
	run_processes_close(&all);
	close(at);
}

static void state_read(const struct tau_commands *w, const char *directory,
		       struct command_state *out)
{
	uint32_t n = w->process_n < TAU_COMMANDS_PROCESSES ? w->process_n : TAU_COMMANDS_PROCESSES;

	*out = (struct command_state){.commands = w->count < TAU_COMMANDS_MOST
							  ? w->count
							  : TAU_COMMANDS_MOST};
	for (uint32_t i = 0; i < n; i++) {
		struct command_process p = {.row = i,
					    .pid = w->process[i].pid,
					    .executed = w->process[i].executed,
					    .rank = -1};

		p.running = runs(p.pid);
		if (p.pid)
			*array_add(out, process) = p;
	}
	ranks_find(directory, out);
}

/* The rows of the processes that a command is for. */
static int to_some(struct tau_command *c, const struct command *command,
		   const struct command_state *s, const char *directory, struct error *e)
{
	size_t n = 0;

	c->to_some = 1;
	for (size_t i = 0; i < s->process_n; i++) {
		uint32_t row = s->process[i].row;

		if (!s->process[i].running || !command->is_for(command->to, &s->process[i]))
			continue;
		c->to[row / 8] |= (uint8_t)(1 << row % 8);
		n++;
	}
	return n ? 0
		 : error_set(e, ERROR_INPUT, "%s: no process that runs on this host is selected",
			     directory);
}

static int append(struct tau_commands *w, const char *directory, const struct command *command,
		  struct error *e)
{
	struct tau_command c = {.value = command->value};
	size_t n = strlen(command->text);
	struct command_state s = {0};
	int code = 0;

	if (w->count >= TAU_COMMANDS_MOST)
		return error_set(e, ERROR_INPUT, "%s: it has received %d commands, the maximum",
				 directory, TAU_COMMANDS_MOST);
	if (n >= sizeof(c.text))
		return error_set(e, ERROR_USAGE, "the command is longer than %zu characters",
				 sizeof(c.text) - 1);
	memcpy(c.text, command->text, n);
	if (command->is_for) {
		state_read(w, directory, &s);
		code = to_some(&c, command, &s, directory, e);
		free(s.process);
	}
	if (code)
		return code;
	/* A sender that is killed before the number rises leaves a command that does not count. */
	w->command[w->count] = c;
	return (int)__atomic_add_fetch(&w->count, 1, __ATOMIC_RELEASE);
}

int command_file_send(const char *directory, const struct command *command, struct error *e)
{
	int fd, number;
	struct tau_commands *w = command_file_map(directory, &fd, e);

	if (!w)
		return e->code;
	number = append(w, directory, command, e);
	command_file_close(w, fd);
	return number;
}

int command_file_state(const char *directory, struct command_state *out, struct error *e)
{
	int fd;
	struct tau_commands *w = command_file_map(directory, &fd, e);

	*out = (struct command_state){0};
	if (!w)
		return e->code;
	state_read(w, directory, out);
	command_file_close(w, fd);
	return 0;
}

void command_file_drop(const char *directory)
{
	struct error e = {0};
	int fd, at;
	struct tau_commands *w = command_file_map(directory, &fd, &e);

	if (!w)
		return;
	at = w->count ? -1 : run_directory(directory);
	if (at >= 0) {
		char *file = watch_file();

		unlinkat(at, file, 0);
		free(file);
		close(at);
	}
	command_file_close(w, fd);
}
