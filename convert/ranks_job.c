/* ranks_job.c: what launchers tell their processes in the environment. */
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

/* In order of trust. */
static const struct {
	const char *rank, *size;
	const char *job[3]; /* what may tell the job from others */
} launchers[] = {
	{"OMPI_COMM_WORLD_RANK",
	 "OMPI_COMM_WORLD_SIZE",
	 {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"}},
	{"PMIX_RANK", "PMIX_SIZE", {"PMIX_NAMESPACE"}},
	{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {"PMI_JOBID", "SLURM_JOB_ID"}},
	{"PMI_RANK", "PMI_SIZE", {"PMI_JOBID", "PALS_APID", "PMI_ID"}},
	{"PALS_RANKID", "PALS_SIZE", {"PALS_APID"}},
	{"FLUX_TASK_RANK", "FLUX_JOB_SIZE", {"FLUX_JOB_ID"}},
	{"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", {"JSM_NAMESPACE_ID", "LSB_JOBID"}},
	/* SLURM_NTASKS stands in batch scripts as well; this is set for the tasks of a step alone.
	 */
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

static int number(const char *name, unsigned *out)
{
	const char *text = getenv(name);
	char *end;
	unsigned long n;

	if (!text || *text < '0' || *text > '9')
		return 0;
	n = strtoul(text, &end, 10);
	*out = (unsigned)n;
	return !*end && n < 1u << 24;
}

int ranks_job(unsigned *rank, unsigned *size, char **job)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		if (!number(launchers[i].rank, rank) || !number(launchers[i].size, size) ||
		    *size < 2 || *rank >= *size)
			continue;
		*job = mem_string(launchers[i].rank);
		for (size_t k = 0; k < 3 && launchers[i].job[k]; k++) {
			const char *id = getenv(launchers[i].job[k]);
			char *longer = mem_printf("%s %s", *job, id ? id : "");

			free(*job);
			*job = longer;
		}
		return 1;
	}
	return 0;
}
