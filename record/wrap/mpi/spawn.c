/* spawn.c: names in the metadata the commands that MPI_Comm_spawn() starts, because their processes are a job of their own. */
#include "spawn.h"
#include "metadata.h"
#include "pool.h"

#include <stdio.h>
#include <string.h>

#define COMMANDS 16	/* different ones that are named */

static struct command {
	char key[256];
	long processes;
} known[COMMANDS];
static uint32_t lock;

static void command_note(const char *command, int processes)
{
	char key[sizeof(known->key)], number[24];
	struct command *c = known;

	snprintf(key, sizeof(key), TAU_META_SPAWNED "%s", command);
	while (c < known + COMMANDS && *c->key && strcmp(c->key, key))
		c++;
	if (c == known + COMMANDS)
		return;
	memcpy(c->key, key, sizeof(key));
	c->processes += processes;
	snprintf(number, sizeof(number), "%ld", c->processes);
	tau_meta(key, number);
}

/* Arguments other than the root's say nothing. */
void spawn_note(int root, MPI_Comm comm, int n, char *const *command, const int *processes)
{
	int rank;

	if (comm == MPI_COMM_NULL || real_MPI_Comm_rank(comm, &rank) || rank != root || !command ||
	    !processes)
		return;
	spin_lock(&lock);
	for (int i = 0; i < n; i++)
		if (command[i] && processes[i] > 0)
			command_note(command[i], processes[i]);
	spin_unlock(&lock);
}
