/* find_run.c: reads /proc. */
#include "cmd/monitor/find_run.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/shared/process_environ.h"

#define VARIABLE "TAU_RECORD_DIR"
#define DEPTH	 64 /* of children; deeper ones are not looked at */

/* The parent of a process: the second number after the name, which may hold anything; -1: it is gone. */
static long parent_of(long pid)
{
	char *path = mem_printf("/proc/%ld/stat", pid), text[1024], *end;
	FILE *f = fopen(path, "r");
	long parent = -1;
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = 0;
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %*c %ld", &parent) != 1)
		parent = -1;
	if (f)
		fclose(f);
	free(path);
	return parent;
}

/* Is a process below another one? */
static int is_below(long pid, const void *above)
{
	for (int i = 0; i < DEPTH && pid > 1; i++) {
		pid = parent_of(pid);
		if (pid == *(const long *)above)
			return 1;
	}
	return 0;
}

/* The runs of those processes of this host that belong to `of`, each once. */
static void runs_find(int (*belongs)(long pid, const void *of), const void *of, struct names *runs)
{
	DIR *d = opendir("/proc");
	struct dirent *x;

	while (d && (x = readdir(d)) != NULL) {
		long pid = strtol(x->d_name, NULL, 10);
		char *run = pid > 0 && belongs(pid, of) ? process_variable(pid, VARIABLE) : NULL;

		if (run)
			names_add(runs, run, strlen(run));
		free(run);
	}
	if (d)
		closedir(d);
}

int find_run(long pid, char **out, struct error *e)
{
	struct names runs = {0};

	if (pid < 0 || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
		return error_set(e, ERROR_SYSTEM, "process %ld: there is no such process", pid);
	*out = process_variable(pid, VARIABLE);
	if (!*out)
		runs_find(is_below, &pid, &runs);
	if (runs.name_n)
		*out = mem_string(runs.name[0]);
	names_release(&runs);
	if (*out)
		return 0;
	return error_set(e, ERROR_INPUT,
			 "process %ld: neither it nor a process that it started is recorded, or it "
			 "is another user's",
			 pid);
}

/* Where batch systems and launchers name the job of a process. The number may be followed by a dot and the host. */
static const char *const job_variables[] = {"SLURM_JOB_ID", "PBS_JOBID",	"LSB_JOBID",
					    "FLUX_JOB_ID",  "COBALT_JOBID", "PMIX_NAMESPACE"};

static int is_of_job(long pid, const void *of)
{
	const char *job = of;
	size_t n = strlen(job);
	int is = 0;

	for (size_t i = 0; i < sizeof(job_variables) / sizeof(*job_variables) && !is; i++) {
		char *value = process_variable(pid, job_variables[i]);

		is = value && !strncmp(value, job, n) && (!value[n] || value[n] == '.');
		free(value);
	}
	return is;
}

int find_run_of_job(const char *job, char **out, struct error *e)
{
	struct names runs = {0};
	int code = 0;

	if (*job)
		runs_find(is_of_job, job, &runs);
	if (runs.name_n == 1)
		*out = mem_string(runs.name[0]);
	else if (runs.name_n)
		code = error_set(e, ERROR_INPUT,
				 "job %s: it has %zu runs, such as %s and %s: name one of them",
				 job, runs.name_n, runs.name[0], runs.name[1]);
	else
		code = error_set(e, ERROR_INPUT,
				 "job %s: no process of it is recorded on this host, or they are "
				 "another user's",
				 job);
	names_release(&runs);
	return code;
}
