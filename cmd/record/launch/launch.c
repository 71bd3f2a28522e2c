/* launch.c: looks at the program that tau-record is to start, and at the job that it belongs to. */
#include "cmd/record/launch/launch.h"

#include "cmd/record/launch/loader.h"
#include "convert/launchers.h"

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

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"))); /* of this very program */

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
	if (u.h.e_machine != __ehdr_start.e_machine)
		return "is built for another processor";
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

/* Recording needs as many open files as tau-record has at once: pipes to the program, and the run. */
static int files_suffice(void)
{
	enum { NEEDED = 6 };
	int fd[NEEDED], n = 0;

	while (n < NEEDED && (fd[n] = open("/", O_PATH | O_CLOEXEC)) >= 0)
		n++;
	for (int i = 0; i < n; i++)
		close(fd[i]);
	return n == NEEDED;
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
	if (!t->obstacle && !files_suffice())
		t->obstacle = "may have too few files open (ulimit -n)";
	if (!t->obstacle && getxattr(t->path, "security.capability", NULL, 0) > 0)
		t->obstacle = "has file capabilities";
	if (!t->obstacle && is_own_loader(t->elf)) {
		t->everywhere = 1;
		return 0;
	}
	if (!t->obstacle)
		t->obstacle = elf_interpreter(t->elf, t->interpreter);
	if (!t->obstacle)
		loader_read(t, library);
	return 0;
}

void target_release(struct target *t)
{
	needed_release(&t->needed);
	t->known = 0;
}

int target_is_launcher(const char *command)
{
	return launcher_is(strrchr(command, '/') ? strrchr(command, '/') + 1 : command);
}

int launched_as_rank(void)
{
	const char *contexts = getenv("OMPI_NUM_APP_CTX");

	/* Of several programs that one command starts, others may not be recorded. */
	return (!contexts || !strcmp(contexts, "1")) && launched_directly();
}

/* ---- the job ---- */

void job_find(struct job *j)
{
	struct launched l;

	launched_find(&l);
	j->size = l.size;
	j->rank = l.rank;
	j->ends_all = l.by && l.by->ends_all;
	if (*l.job)
		snprintf(j->key, sizeof(j->key), "%s", l.job);
	else
		snprintf(j->key, sizeof(j->key), "%ld", (long)getpid());
	for (char *c = j->key; *c; c++)
		if (*c == '/' || *c == ':' || *c <= ' ' || *c == 127)
			*c = '_';
}

int job_speaks(void)
{
	struct launched l;

	launched_find(&l);
	return l.rank <= 0;
}

void job_speaks_set(void)
{
	if (job_speaks())
		setenv("TAU_RECORD_SPEAKS", "1", 1);
	else
		unsetenv("TAU_RECORD_SPEAKS");
}

char *job_directory(const struct target *t, const struct job *j)
{
	const char *base = strrchr(t->path, '/') ? strrchr(t->path, '/') + 1 : t->path;

	return mem_printf("tau-%s-%s", base, j->key);
}
