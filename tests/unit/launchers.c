/* launchers.c: what the launcher of a job gave to a process, by its variables and by the processes above it. */
#include "convert/launchers.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static char folder[] = "/tmp/launchers-XXXXXX";

/* "LAUNCHER JOB RANK SIZE" of this process. */
static void report(char *out, size_t size)
{
	struct launched l;

	launched_find(&l);
	snprintf(out, size, "%s %s %ld %ld", l.by ? l.by->name : "none", *l.job ? l.job : "-", l.rank, l.size);
}

/* Sets exactly these variables: "NAME=VALUE NAME=VALUE". */
static void environment(const char *text)
{
	char copy[1024], *save, *word;

	snprintf(copy, sizeof(copy), "PATH=%s TMPDIR=/tmp %s", getenv("PATH"), text);
	clearenv();
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *equal = strchr(word, '=');

		*equal = 0;
		setenv(word, equal + 1, 1);
	}
}

static void test_variables(void)
{
	static const struct {
		const char *variables, *want;
	} cases[] = {
		{"", "none - -1 1"},
		{"PMIX_NAMESPACE=prterun-h-1@1 OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4", "Open MPI prterun-h-1@1 3 4"},
		{"OMPI_MCA_ess_base_jobid=77 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2", "Open MPI 77 0 2"},
		/* an Open MPI job inside one of Slurm, whose variables it inherits */
		{"SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=5 PMIX_NAMESPACE=n "
		 "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8", "Open MPI n 5 8"},
		{"PALS_APID=ab-1 PALS_RANKID=2 PMI_RANK=2 PMI_SIZE=3 PALS_LOCAL_RANKID=0", "PALS ab-1 2 3"},
		{"FLUX_JOB_ID_PATH=/f1/f2 FLUX_JOB_ID=f2 FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2", "Flux /f1/f2 1 2"},
		{"LSB_JOBID=5 PMIX_NAMESPACE=2 JSM_NAMESPACE_RANK=1 JSM_NAMESPACE_SIZE=6", "jsrun 5.2 1 6"},
		{"PMI_PORT=h:5 PMI_ID=4", "Hydra h:5 4 1"},
		{"PMI_PORT=h:5 MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=2", "mpirun_rsh h:5 1 2"},
		{"SLURM_JOB_ID=9 SLURM_STEP_ID=1 SLURM_PROCID=3 SLURM_STEP_NUM_TASKS=4", "Slurm 9.1 3 4"},
		{"SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_JOBID=9.0 PMI_RANK=1 PMI_SIZE=2",
		 "PMI 9.0 1 2"},
		{"SLURM_JOB_ID=10 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMIX_RANK=1 PMIX_NAMESPACE=slurm.pmix.10.0",
		 "PMIx slurm.pmix.10.0 1 2"},
		/* a rank of a job that has no name */
		{"PMI_RANK=1 PMI_SIZE=2", "none - 1 1"},
		{"PMIX_NAMESPACE=n OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=-4", "Open MPI n -1 1"},
	};
	char have[512];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		environment(cases[i].variables);
		report(have, sizeof(have));
		ok(!strcmp(have, cases[i].want), "%s: %s", *cases[i].variables ? cases[i].variables : "no variable", have);
	}
}

/* Starts this program under the names, one above the other, with these arguments for the first; the last one's report. */
static void nested(const char *variables, const char *const *names, const char *arguments, char out[512])
{
	char command[2048];
	size_t n = 0;
	FILE *f;

	environment(variables);
	n += (size_t)snprintf(command, sizeof(command), "exec");
	for (; *names; names++) {
		n += (size_t)snprintf(command + n, sizeof(command) - n, " %s/%s %s --", folder, *names, arguments);
		arguments = "";
	}
	*out = 0;
	f = popen(command, "r");
	if (f && fgets(out, 512, f))
		out[strcspn(out, "\n")] = 0;
	if (f)
		pclose(f);
}

static void links_make(const char *self, const char *const *names)
{
	char link[256];

	for (; *names; names++) {
		snprintf(link, sizeof(link), "%s/%s", folder, *names);
		if (symlink(self, link))
			ok(0, "%s can be made", link);
	}
}

static void test_parents(const char *self)
{
	static const char *const all[] = {"hydra_pmi_proxy", "slurmstepd", "orted", "sh-like", NULL};
	static const struct {
		const char *names[4], *arguments, *variables, *want;
	} cases[] = {
		{{"hydra_pmi_proxy", NULL}, "--control-port h:1 --pgid 0", "PMI_RANK=1 PMI_SIZE=2", "Hydra h:1 1 2"},
		{{"hydra_pmi_proxy", NULL}, "--control-port h:1 --pgid 2", "PMI_RANK=0 PMI_SIZE=2", "Hydra h:1.2 0 2"},
		{{"hydra_pmi_proxy", "sh-like", NULL}, "--control-port h:1", "PMI_RANK=1 PMI_SIZE=2", "Hydra h:1 1 2"},
		/* the proxies were started by srun, so that each process has rank 0 of another job too */
		{{"slurmstepd", "hydra_pmi_proxy", NULL}, "", "SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 "
		 "PMIX_RANK=0 PMIX_NAMESPACE=s PMI_RANK=1 PMI_SIZE=2 PMI_PORT=h:7", "Hydra h:7 1 2"},
		{{"slurmstepd", NULL}, "", "SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_JOBID=9.0 "
		 "PMI_RANK=1 PMI_SIZE=2", "Slurm 9.0 1 2"},
		{{"hydra_pmi_proxy", "orted", NULL}, "--control-port h:1", "PMI_RANK=0 PMI_SIZE=1 PMIX_NAMESPACE=n "
		 "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "Open MPI n 1 2"},
	};
	char have[512];

	links_make(self, all);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		nested(cases[i].variables, cases[i].names, cases[i].arguments, have);
		ok(!strcmp(have, cases[i].want), "below %s%s%s: %s", cases[i].names[0], cases[i].names[1] ? ", " : "",
		   cases[i].names[1] ? cases[i].names[1] : "", have);
	}
	for (const char *const *n = all; *n; n++) {
		snprintf(have, sizeof(have), "%s/%s", folder, *n);
		unlink(have);
	}
}

/* As a process of a launcher: starts what is after "--", or reports. */
static int stand_in(char **argv)
{
	char text[512];
	int status = 1;
	pid_t pid;

	while (*argv && strcmp(*argv, "--") != 0)
		argv++;
	pid = fork();
	if (!pid) {
		if (*argv && argv[1]) {
			execv(argv[1], argv + 1);
			_exit(127);
		}
		report(text, sizeof(text));
		printf("%s\n", text);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status != 0;
}

int main(int argc, char **argv)
{
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc > 1)
		return stand_in(argv + 1);
	self[n > 0 ? n : 0] = 0;
	if (!mkdtemp(folder))
		return 1;
	ok(launcher_is("mpirun") && launcher_is("srun") && launcher_is("mpiexec.hydra") && !launcher_is("sh"), "names of launchers");
	test_variables();
	test_parents(self);
	rmdir(folder);
	return tap_end();
}
