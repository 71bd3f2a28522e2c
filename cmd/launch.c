/* launch.c: looks at the program that tau-record is to start, and at the job that it belongs to. */
#include "launch.h"

#include "loader.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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
		return S_ISDIR(st.st_mode) ? EACCES : access(out, X_OK) < 0 ? errno : 0;
	}
	for (at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, ':');
		snprintf(out, 4096, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "./",
			 command);
		if (stat(out, &st) < 0 || S_ISDIR(st.st_mode))
			continue;
		if (access(out, X_OK) == 0)
			return 0;
		error = EACCES;
	}
	return error;
}

/* The program that a "#!" line names; behind "env" that is the first word that is no option and no variable. */
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
 * Follows scripts to the ELF file that will run; NULL or what stands in the way. What neither names an interpreter nor is a
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
	return "is a script of scripts";
}

/* Reads the program header table for the dynamic loader's path. NULL or what stands in the way. */
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

/* The program is the loader that starts this one, too: what it is told to start it starts with the recorder. */
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
}

int job_speaks(void)
{
	static const char *const ranks[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					    "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(ranks) / sizeof(*ranks); i++) {
		const char *v = getenv(ranks[i]);

		if (v)
			return !strcmp(v, "0");
	}
	return 1;
}

/* ---- the run directory ---- */

#define JOB_FILE "job"
#define ENDED_FILE ".ended"

static int read_text(const char *path, char *out, size_t size)
{
	ssize_t n = read_head(path, out, size - 1);

	out[n > 0 ? n : 0] = 0;
	return n < 0 ? -1 : 0;
}

/* Something that is not hidden stands in the directory. */
static int holds_something(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	int found = 0;

	while (d && (entry = readdir(d)))
		found |= entry->d_name[0] != '.';
	if (d)
		closedir(d);
	return found;
}

/* The job file appears whole: it is written under a hidden name and linked. 1 made, 0 it is there,
 * -1 errno. */
static int job_file_make(const char *directory, const char *path, const char *text)
{
	char hidden[PATH_MAX];
	size_t n = strlen(text);
	int fd, made;

	snprintf(hidden, sizeof(hidden), "%s/.job.%ld", directory, (long)getpid());
	fd = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	if (write(fd, text, n) != (ssize_t)n || close(fd) < 0) {
		int error = errno ? errno : ENOSPC;

		unlink(hidden);
		errno = error;
		return -1;
	}
	made = link(hidden, path) == 0 ? 1 : errno == EEXIST ? 0 : -1;
	fd = errno;
	unlink(hidden);
	errno = fd;
	return made;
}

/* It is there before the disk may be full. */
static void ended_make(const char *directory)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/" ENDED_FILE, directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
}

int run_claim(const char *directory, const struct job *j, struct error *e)
{
	char path[PATH_MAX], want[400], have[400];
	int made;

	snprintf(path, sizeof(path), "%s/" JOB_FILE, directory);
	snprintf(want, sizeof(want), "tau-run 1\njob %s\nsize %ld\n", j->key, j->size);
	if (mkdir(directory, 0777) < 0 && errno != EEXIST)
		return error_set(e, ERROR_SYSTEM, "%s: cannot make the directory of the run: %s",
				 directory, strerror(errno));
	if (access(path, F_OK) < 0 && holds_something(directory) && access(path, F_OK) < 0)
		return error_set(e, ERROR_INPUT, "%s: is not empty and not a run; give another -o",
				 directory);
	made = job_file_make(directory, path, want);
	if (made > 0 && j->size > 1)
		ended_make(directory);
	if (made < 0)
		return error_set(e, ERROR_SYSTEM, "%s: cannot write: %s", directory,
				 strerror(errno));
	if (!made && (read_text(path, have, sizeof(have)) < 0 || strcmp(have, want) != 0))
		return error_set(e, ERROR_INPUT,
				 "%s: holds the run of another job; give another -o or remove it",
				 directory);
	return 0;
}

void run_abandon(const char *directory, const struct job *j)
{
	DIR *d = j->size == 1 ? opendir(directory) : NULL;
	struct dirent *entry;
	int others = 0;

	if (!d)
		return;
	while ((entry = readdir(d)))
		others |= entry->d_name[0] != '.' && strcmp(entry->d_name, JOB_FILE) != 0;
	rewinddir(d);
	while (!others && (entry = readdir(d)))
		unlinkat(dirfd(d), entry->d_name, 0);
	closedir(d);
	if (!others)
		rmdir(directory);
}

/*
 * The file is as long as processes of the job have ended, without a byte in it, because the disk may be full by now. Who
 * cannot count for all that says what there is: twice is better than never.
 */
int run_leave(const char *directory, const struct job *j)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, last = 1;

	snprintf(path, sizeof(path), "%s/" ENDED_FILE, directory);
	fd = j->size > 1 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
	if (fd < 0)
		return last;
	if (flock(fd, LOCK_EX) == 0 && fstat(fd, &st) == 0 && ftruncate(fd, st.st_size + 1) == 0)
		last = st.st_size + 1 == j->size;
	close(fd);
	return last;
}
