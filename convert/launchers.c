/*
 * launchers.c: the table of launchers, and what they gave to this process.
 *
 * Tried with Hydra (MPICH 4.0) and Open MPI 4.1; Open MPI 5 (PRRTE), Slurm, PALS, Flux and jsrun
 * are as their documentation and sources have it. Hydra gives its processes no name of the job: its
 * proxies, one on each host, have the address of their mpiexec on their command line, and the
 * number of the group for processes of MPI_Comm_spawn.
 */
#include "convert/launchers.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* clang-format off: one launcher, one paragraph */
const struct launcher launchers[] = {
	{.name = "Open MPI",
	 .parents = {"orted", "prted", "prterun", "prun", "orterun", "mpirun", "mpiexec",
		     "mpirun.openmpi", "mpiexec.openmpi", "oshrun", "shmemrun"},
	 .rank = {"OMPI_COMM_WORLD_RANK"},
	 .size = {"OMPI_COMM_WORLD_SIZE"},
	 .job = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"},
	 .ends_all = 1},
	{.name = "PALS",
	 .parents = {"palsd"},
	 .commands = {"aprun"},
	 .rank = {"PALS_RANKID", "PMI_RANK"},
	 .size = {"PALS_SIZE", "PMI_SIZE"},
	 .job = {"PALS_APID"},
	 .mpich = 1},
	{.name = "jsrun",
	 .parents = {"jsmd"},
	 .commands = {"jsrun"},
	 .rank = {"JSM_NAMESPACE_RANK"},
	 .size = {"JSM_NAMESPACE_SIZE"},
	 .job = {"LSB_JOBID PMIX_NAMESPACE", "PMIX_NAMESPACE"}},
	{.name = "Flux",
	 .parents = {"flux-shell"},
	 .rank = {"FLUX_TASK_RANK"},
	 .size = {"FLUX_JOB_SIZE"},
	 .job = {"FLUX_JOB_ID_PATH", "FLUX_JOB_ID"}},
	{.name = "Hydra",
	 .parents = {"hydra_pmi_proxy", "hydra_bstrap_pr"},
	 .commands = {"mpiexec.hydra", "mpirun.hydra", "mpirun.mpich", "mpiexec.mpich"},
	 .rank = {"PMI_RANK", "PMI_ID"},
	 .size = {"PMI_SIZE", "MV2_COMM_WORLD_SIZE"},
	 .job = {"PMI_PORT"},
	 .options = {"--control-port", "--pgid"},
	 .mpich = 1},
	{.name = "mpirun_rsh",
	 .parents = {"mpispawn"},
	 .commands = {"mpirun_rsh"},
	 .rank = {"MV2_COMM_WORLD_RANK"},
	 .size = {"MV2_COMM_WORLD_SIZE"},
	 .job = {"PMI_PORT"},
	 .mpich = 1},
	{.name = "PMI",
	 .rank = {"PMI_RANK"},
	 .size = {"PMI_SIZE"},
	 .job = {"PMI_JOBID", "PMI_PORT"},
	 .mpich = 1},
	{.name = "PMIx",
	 .rank = {"PMIX_RANK"},
	 .size = {"PMIX_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"},
	 .job = {"PMIX_NAMESPACE"}},
	{.name = "Slurm",
	 .parents = {"slurmstepd"},
	 .commands = {"srun"},
	 .rank = {"SLURM_PROCID"},
	 .size = {"SLURM_STEP_NUM_TASKS"},
	 .job = {"SLURM_JOB_ID SLURM_STEP_ID"}},
	{.name = NULL},
};
/* clang-format on */

enum { NUMBER_MOST = 1 << 24 };

static const char *first_set(const char *const *names)
{
	const char *value = NULL;

	for (size_t i = 0; i < LAUNCHER_NAMES && names[i] && !value; i++)
		value = getenv(names[i]);
	return value && *value ? value : NULL;
}

static long number_of(const char *const *names, long otherwise)
{
	const char *text = first_set(names);
	unsigned long n;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return otherwise;
	n = strtoul(text, &end, 10);
	return *end || n >= NUMBER_MOST ? otherwise : (long)n;
}

static void job_add(char out[256], const char *text)
{
	size_t n = strlen(out);

	snprintf(out + n, 256 - n, "%s%s", n ? "." : "", text);
}

/* The values of variables with spaces between their names. 0: one is not set. */
static int job_of_variables(const char *names, char out[256])
{
	char text[128], *save, *name;

	*out = 0;
	snprintf(text, sizeof(text), "%s", names);
	for (name = strtok_r(text, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
		const char *value = getenv(name);

		if (!value || !*value)
			return 0;
		job_add(out, value);
	}
	return 1;
}

/* ---- the processes above ---- */

static ssize_t process_read(long pid, const char *file, char *out, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, out, size - 1);
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = 0;
	return n;
}

/* The name of a process and the process above it, from "12 (name) S 1 ..."; 0: unknown. */
static long process_parent(long pid, char name[32])
{
	char text[512], *open, *close;

	*name = 0;
	if (process_read(pid, "stat", text, sizeof(text)) <= 0)
		return 0;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || strlen(close) < 4)
		return 0;
	snprintf(name, 32, "%.*s", (int)(close - open - 1), open + 1);
	return strtol(close + 4, NULL, 10);
}

static const struct launcher *launcher_named(const char *parent)
{
	for (const struct launcher *l = launchers; l->name; l++)
		for (size_t i = 0; i < LAUNCHER_PROCESSES && l->parents[i]; i++)
			if (!strcmp(l->parents[i], parent))
				return l;
	return NULL;
}

int launcher_is(const char *command)
{
	if (launcher_named(command))
		return 1;
	for (const struct launcher *l = launchers; l->name; l++)
		for (size_t i = 0; i < LAUNCHER_NAMES && l->commands[i]; i++)
			if (!strcmp(l->commands[i], command))
				return 1;
	return 0;
}

/* The nearest of a launcher's processes above this one, 0: none. */
static long launcher_above(const struct launcher **by)
{
	long pid = (long)getppid(), next;
	char name[32];

	for (int i = 0; i < 64 && pid > 1; i++, pid = next) {
		next = process_parent(pid, name);
		*by = launcher_named(name);
		if (*by)
			return pid;
	}
	*by = NULL;
	return 0;
}

int launched_directly(void)
{
	char name[32];

	process_parent((long)getppid(), name);
	return launcher_is(name);
}

/* The values of options on the command line of a process. 0: the first is not there. */
static int job_of_options(long pid, const char *const *names, char out[256])
{
	char text[4096];
	ssize_t n = process_read(pid, "cmdline", text, sizeof(text));

	*out = 0;
	for (size_t i = 0; i < LAUNCHER_NAMES && names[i]; i++)
		for (const char *at = text; at < text + (n > 0 ? n : 0); at += strlen(at) + 1) {
			const char *value = at + strlen(at) + 1;

			/* The first group of processes has the number 0. */
			if (strcmp(at, names[i]) != 0 || value >= text + n ||
			    (i && !strcmp(value, "0")))
				continue;
			job_add(out, value);
			break;
		}
	return *out != 0;
}

/* ---- this process ---- */

/* above: the launcher's process, 0: unknown. 0: this launcher has not started it. */
static int launched_by(struct launched *l, const struct launcher *by, long above)
{
	int found = 0;

	if (!first_set(by->rank))
		return 0;
	if (above && *by->options)
		found = job_of_options(above, by->options, l->job);
	for (size_t i = 0; i < LAUNCHER_NAMES && by->job[i] && !found; i++)
		found = job_of_variables(by->job[i], l->job);
	if (!found && above && *by->options) {
		snprintf(l->job, sizeof(l->job), "%ld",
			 above); /* its command line is hidden: all below it */
		found = 1;
	}
	if (!found)
		return 0;
	l->by = by;
	l->rank = number_of(by->rank, -1);
	l->size = number_of(by->size, 1);
	if (l->size < 1)
		l->size = 1;
	return 1;
}

void launched_find(struct launched *l)
{
	const struct launcher *by;
	long above = launcher_above(&by);

	*l = (struct launched){.rank = -1, .size = 1};
	if (by && launched_by(l, by, above))
		return;
	for (by = launchers; by->name; by++)
		if (launched_by(l, by, 0))
			return;
	*l = (struct launched){.rank = -1, .size = 1};
	/* Which job it is remains unknown, but not that there is one. */
	for (by = launchers; by->name && l->rank < 0; by++)
		l->rank = number_of(by->rank, -1);
}

long launched_size(void)
{
	long n = 0;

	for (const struct launcher *by = launchers; by->name && n < 2; by++)
		n = number_of(by->size, 0);
	return n > 1 ? n : 1;
}
