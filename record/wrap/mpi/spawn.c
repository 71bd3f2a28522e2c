/*
 * spawn.c: processes that MPI starts while the program runs.
 *
 * The launcher starts them with its own environment, which does not name the recorder. So each command becomes an argument of
 * env(1), which sets what the recorder needs and then becomes the command, in the same process. A command that env() would look for
 * in another place than the launcher, or that is not there, stays as it is, and the metadata name it.
 */
#include "own/own.h"
#include "spawn.h"
#include "abi.h"
#include "metadata.h"
#include "pool.h"
#include "spawn_ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COMMANDS 16	/* different ones that are named */
#define SETTINGS 128	/* variables that are handed on */
#define ENV	 "/usr/bin/env"

static struct spawned_command {
	char key[256];
	long processes;
} known[COMMANDS];
static uint32_t lock;

static void command_note(const char *command, int processes)
{
	char key[sizeof(known->key)], number[24];
	struct spawned_command *c = known;

	spin_lock(&lock);
	snprintf(key, sizeof(key), TAU_META_SPAWNED "%s", command);
	while (c < known + COMMANDS && *c->key && strcmp(c->key, key))
		c++;
	if (c < known + COMMANDS) {
		memcpy(c->key, key, sizeof(key));
		c->processes += processes;
		snprintf(number, sizeof(number), "%ld", c->processes);
		tau_meta(key, number);
	}
	spin_unlock(&lock);
}

/* ---- may the command be an argument of env? ---- */

static int info_has(MPI_Info info, const char *key)
{
	int length, there = 0;

	return !real_MPI_Info_get_valuelen(info, key, &length, &there) && there;
}

/* Is this file a program? A directory is none. */
static int is_program(const char *directory, size_t n, const char *file)
{
	char path[4096];

	if (snprintf(path, sizeof(path) - 2, "%.*s%s%s", (int)n, directory, n ? "/" : "", file) >=
		    (int)sizeof(path) - 2 ||
	    system_call(SYS_faccessat, AT_FDCWD, path, X_OK))
		return 0;
	strcat(path, "/.");
	return system_call(SYS_faccessat, AT_FDCWD, path, F_OK) != 0;
}

/* Would a search in PATH find it? */
static int is_in_path(const char *command)
{
	const char *at = getenv("PATH");
	size_t n;

	for (; at && *at; at += n + (at[n] == ':')) {
		n = strcspn(at, ":");
		if (n && is_program(at, n, command))
			return 1;
	}
	return 0;
}

/* These make the launcher look for the command, or start it, in another way. */
static int is_plain(MPI_Info info)
{
	static const char *const keys[] = {"path",	     "file", "preload_binary",
					   "ompi_preload_binary", "env",  "wd"};

	if (info == MPI_INFO_NULL)
		return 1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (info_has(info, keys[i]))
			return 0;
	return 1;
}

static int can_rewrite(const char *command, MPI_Info info)
{
	char directory[2048] = "";
	int there = 0;

	if (!*command || strchr(command, '=') || !is_plain(info))
		return 0;
	if (info != MPI_INFO_NULL &&
	    (real_MPI_Info_get(info, "wdir", sizeof(directory) - 1, directory, &there) || !there))
		*directory = 0;
	if (!strchr(command, '/'))
		return is_in_path(command);
	return is_program(directory, *command == '/' ? 0 : strlen(directory), command);
}

/* ---- the variables of the recorder ---- */

static int is_setting(const char *variable)
{
	static const char *const names[] = {"LD_PRELOAD=", "TAU_", "KOKKOS_TOOLS_LIBS=",
					    "NVTX_INJECTION64_PATH="};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return strncmp(variable, SPAWN_BASE "=", sizeof(SPAWN_BASE)) != 0;
	return 0;
}

/* How many there are in setting[]; 0: the program has taken the recorder out of its environment. */
static int settings_find(char **setting)
{
	const char *preload = getenv("LD_PRELOAD");
	int n = 0;

	if (!preload || !strstr(preload, "libtau.so") || !getenv("TAU_RECORD_DIR"))
		return 0;
	for (char **e = environ; *e; e++) {
		if (!is_setting(*e))
			continue;
		if (n == SETTINGS)
			return 0;
		setting[n++] = *e;
	}
	return n;
}

/* ---- the commands ---- */

struct spawn {
	char *setting[SETTINGS];
	int setting_n, n;
	char base[sizeof(SPAWN_BASE) + 24];
	char **command, ***argv;	/* new ones, in memory of the thread until its next call */
	char **next;			/* in the same memory: for arguments */
};

/* What MPI was given last it has copied. */
static void *memory_get(size_t bytes)
{
	static __thread void *memory;
	static __thread size_t size;

	pool_put(memory, size);
	memory = pool_get(bytes);
	size = bytes;
	return memory;
}

static size_t count(char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	return n;
}

static int spawn_memory(struct spawn *s, char ***argv)
{
	size_t n = (size_t)s->n, words = 2 * n + sizeof(s->base) / sizeof(char *) + 1;

	for (size_t i = 0; i < n; i++)
		words += (size_t)s->setting_n + 3 + count(argv ? argv[i] : NULL);
	s->command = memory_get(words * sizeof(char *));
	if (!s->command)
		return 0;
	s->argv = (char ***)(s->command + n);
	s->next = (char **)(s->argv + n);
	memcpy(s->next, s->base, sizeof(s->base));
	s->setting[s->setting_n++] = (char *)s->next;
	s->next += sizeof(s->base) / sizeof(char *) + 1;
	return 1;
}

static void rewrite(struct spawn *s, int i, char *command, char **argv)
{
	s->command[i] = (char *)ENV;
	s->argv[i] = s->next;
	memcpy(s->next, s->setting, (size_t)s->setting_n * sizeof(char *));
	s->next += s->setting_n;
	*s->next++ = command;
	while (argv && *argv)
		*s->next++ = *argv++;
	*s->next++ = NULL;
}

/* Ranks for all of them, in a run that can be written. */
static int spawn_prepare(struct spawn *s, int n, char ***argv, const int *processes)
{
	int sum = 0, size, first;

	for (int i = 0; i < n; i++) {
		if (processes[i] < 0 || processes[i] > 1 << 20 || sum > 1 << 24)
			return 0;
		sum += processes[i];
	}
	s->n = n;
	s->setting_n = settings_find(s->setting);
	if (!s->setting_n || s->setting_n == SETTINGS || !is_program("", 0, ENV) ||
	    real_MPI_Comm_size(MPI_COMM_WORLD, &size))
		return 0;
	first = spawn_ranks_claim(spawn_base() + size, sum);
	if (first < 0)
		return 0;
	snprintf(s->base, sizeof(s->base), SPAWN_BASE "=%d", first);
	return spawn_memory(s, argv);
}

/* Only the root's arguments are used. */
void spawn_many(int root, MPI_Comm comm, int n, char ***commands, char ****argvs,
		const int *processes, const MPI_Info *infos)
{
	struct spawn s;
	int rank, good, some = 0;

	if (!tau_active() || !abi_ready() || comm == MPI_COMM_NULL || n <= 0 || !*commands ||
	    !processes || !infos || real_MPI_Comm_rank(comm, &rank) || rank != root)
		return;
	for (int i = 0; i < n; i++)
		some |= (*commands)[i] && can_rewrite((*commands)[i], infos[i]);
	good = some && spawn_prepare(&s, n, *argvs, processes);
	for (int i = 0; i < n; i++) {
		char *command = (*commands)[i], **argv = *argvs ? (*argvs)[i] : NULL;

		if (good && command && can_rewrite(command, infos[i])) {
			rewrite(&s, i, command, argv);
			continue;
		}
		if (command && processes[i] > 0)
			command_note(command, processes[i]);
		if (good)
			s.command[i] = command, s.argv[i] = argv;
	}
	if (good)
		*commands = s.command, *argvs = s.argv;
}

void spawn_one(int root, MPI_Comm comm, const char **command, char ***argv, int processes,
	       MPI_Info info)
{
	char *own_command = (char *)*command, **own_argv = *argv;
	char **commands = &own_command, ***argvs = &own_argv;

	spawn_many(root, comm, 1, &commands, &argvs, &processes, &info);
	*command = *commands;
	*argv = *argvs;
}
