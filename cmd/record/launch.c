/* launch.c: looks at the program that tau-record is to start, and at the job that it belongs to. */
#include "cmd/record/launch.h"

#include "cmd/record/loader.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- the program ---- */

#define SCRIPTS_DEEP 6	/* scripts whose interpreters are scripts; the kernel follows five */

static int find_in_path(const char *command, char out[4096])
{
	const char *path = getenv("PATH"), *at, *end;
	int error = ENOENT;
	struct stat st;

	if (strchr(command, '/')) {
		snprintf(out, 4096, "%s", command);
		if (stat(out, &st) < 0)
			return errno;
		return !S_ISREG(st.st_mode) ? EACCES : access(out, X_OK) < 0 ? errno : 0;
	}
	for (at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		snprintf(out, 4096, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "./",
			 command);
		if (stat(out, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		if (access(out, X_OK) == 0)
			return 0;
		error = EACCES;
	}
	return error;
}

/* The program that a "#!" line names; after "env" that is the first word that is no option and no variable. */
static int script_interpreter(const char *head, char out[4096])
{
	char line[256], *word, *save;

	snprintf(line, sizeof(line), "%s", head + 2);
	line[strcspn(line, "\n")] = 0;
	word = strtok_r(line, " \t", &save);
	if (word && !strcmp(strrchr(word, '/') ? strrchr(word, '/') + 1 : word, "env"))
		do
			word = strtok_r(NULL, " \t", &save);
		while (word && (*word == '-' || strchr(word, '=')));
	return word ? find_in_path(word, out) : ENOENT;
}

static ssize_t read_head(const char *path, void *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, out, size);
	close(fd);
	return n;
}

/*
 * Follows scripts to the ELF file that will run; NULL or why there is none. What neither names an interpreter nor is a
 * program is the shell's, as for execvp().
 */
static const char *script_follow(const char *path, char elf[4096])
{
	char head[256];
	ssize_t n;

	snprintf(elf, 4096, "%s", path);
	for (int i = 0; i < SCRIPTS_DEEP; i++) {
		n = read_head(elf, head, sizeof(head) - 1);
		if (n < 0)
			return "cannot be read";
		head[n] = 0;
		if (n >= SELFMAG && !memcmp(head, ELFMAG, SELFMAG))
			return NULL;
		if (head[0] != '#' || head[1] != '!')
			snprintf(elf, 4096, "/bin/sh");
		else if (script_interpreter(head, elf) != 0)
			return "is a script whose interpreter was not found";
	}
	return "is a script whose interpreter is a script";
}

/* Reads the program header table for the dynamic loader's path. NULL or why it cannot be read. */
static const char *elf_interpreter(const char *path, char out[4096])
{
	union {
		Elf64_Ehdr h;
		char bytes[16384];
	} u;
	ssize_t n = read_head(path, u.bytes, sizeof(u.bytes));
	Elf64_Phdr p;

	out[0] = 0;
	if (n < (ssize_t)sizeof(u.h) || memcmp(u.h.e_ident, ELFMAG, SELFMAG) != 0)
		return "is not an ELF program";
	if (u.h.e_ident[EI_CLASS] != ELFCLASS64)
		return "is not a 64-bit program";
	for (unsigned i = 0; i < u.h.e_phnum; i++) {
		size_t at = u.h.e_phoff + (size_t)i * sizeof(p);

		if (u.h.e_phoff > sizeof(u.bytes) || at + sizeof(p) > (size_t)n)
			break;
		memcpy(&p, u.bytes + at, sizeof(p));
		if (p.p_type != PT_INTERP || p.p_filesz >= 4096 || p.p_offset > (size_t)n ||
		    p.p_filesz > (size_t)n - p.p_offset)
			continue;
		memcpy(out, u.bytes + p.p_offset, p.p_filesz);
		out[p.p_filesz] = 0;
		return NULL;
	}
	return "is statically linked";
}

/* The program is the loader that starts this one, too: the program that it starts gets the recorder. */
static int is_own_loader(const char *path)
{
	char own[4096];
	struct stat a, b;

	return !elf_interpreter("/proc/self/exe", own) && stat(own, &a) == 0 &&
	       stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int target_find(const char *command, const char *library, struct target *t, struct error *e)
{
	struct stat st;
	int error;

	memset(t, 0, sizeof(*t));
	error = find_in_path(command, t->path);
	if (error) {
		errno = error;
		return error_set(e, ERROR_SYSTEM, "%s: %s", command, strerror(error));
	}
	t->obstacle = script_follow(t->path, t->elf);
	if (!t->obstacle && stat(t->path, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID))
		t->obstacle = "is a set-user-ID or set-group-ID program";
	if (!t->obstacle && getxattr(t->path, "security.capability", NULL, 0) > 0)
		t->obstacle = "has file capabilities";
	if (!t->obstacle && is_own_loader(t->elf)) {
		t->everywhere = 1;
		return 0;
	}
	if (!t->obstacle)
		t->obstacle = elf_interpreter(t->elf, t->interpreter);
	if (!t->obstacle)
		loader_ask(t, library);
	return 0;
}

void target_release(struct target *t)
{
	free(t->needed);
	t->needed = NULL;
}

int target_is_launcher(const char *command)
{
	static const char *const names[] = {
		"mpirun",         "mpiexec",         "orterun", "oshrun",
		"shmemrun",       "prterun",         "prun",    "mpiexec.hydra",
		"mpirun.openmpi", "mpiexec.openmpi", "srun",    "aprun"};
	const char *base = strrchr(command, '/') ? strrchr(command, '/') + 1 : command;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(base, names[i]))
			return 1;
	return 0;
}

int launched_as_rank(void)
{
	static const char *const names[] = {"orted", "prted", "slurmstepd", "hydra_pmi_proxy"};
	const char *contexts = getenv("OMPI_NUM_APP_CTX");
	char path[64], parent[32];
	ssize_t n;

	/* Of several programs that one command starts, others may not be recorded. */
	if (contexts && strcmp(contexts, "1"))
		return 0;
	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)getppid());
	n = read_head(path, parent, sizeof(parent) - 1);
	parent[n > 0 ? n : 0] = 0;
	parent[strcspn(parent, "\n")] = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(parent, names[i]))
			return 1;
	return target_is_launcher(parent);
}

/* ---- the job ---- */

static const struct {
	const char *key, *key2, *size;
} job_variables[] = {
	{ "PMIX_NAMESPACE", NULL, "OMPI_COMM_WORLD_SIZE" },
	{ "OMPI_MCA_ess_base_jobid", NULL, "OMPI_COMM_WORLD_SIZE" },
	{ "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS" },
	{ "PMI_ID", NULL, "PMI_SIZE" },
};

/* Of this process, from its launcher; -1: unknown. */
static long rank_find(void)
{
	static const char *const ranks[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					    "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		const char *v = getenv(ranks[i]);

		if (v)
			return strtol(v, NULL, 10);
	}
	return -1;
}

void job_find(struct job *j)
{
	const char *key, *key2, *size;

	snprintf(j->key, sizeof(j->key), "%ld", (long)getpid());
	j->size = 1;
	for (size_t i = 0; i < sizeof(job_variables) / sizeof(*job_variables); i++) {
		key = getenv(job_variables[i].key);
		size = getenv(job_variables[i].size);
		key2 = job_variables[i].key2 ? getenv(job_variables[i].key2) : NULL;
		if (!key || !size)
			continue;
		snprintf(j->key, sizeof(j->key), "%s%s%s", key, key2 ? "." : "", key2 ? key2 : "");
		j->size = strtol(size, NULL, 10) > 0 ? strtol(size, NULL, 10) : 1;
		break;
	}
	for (char *c = j->key; *c; c++)
		if (*c == '/' || *c <= ' ' || *c == 127)
			*c = '_';
	j->rank = rank_find();
}

int job_speaks(void)
{
	return rank_find() <= 0;
}
