/* unwrapped.c: compares what libraries of MPI and OpenSHMEM export with what their wrappers do. */
#include "cmd/record/wrappers/unwrapped.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/record/wrappers/wrapper_rows.h"
#include "cmd/record/wrappers/wrappers.h"
#include "cmd/shared/message.h"
#include "convert/code/elf_dynamic.h"

/* Those that the lists exclude, with a reason. */
static const char *const skips[] = {
#include "skips.inc"
	NULL};

/* MPI_Send, MPI_T_init_thread and shmem_put; not MPI_UNWEIGHTED, nor MPIX_Foo, which each library
 * has for itself. */
static int is_of_standard(const char *name)
{
	if (!strncmp(name, "shmem_", 6))
		return 1;
	return !strncmp(name, "MPI_", 4) &&
	       (!strncmp(name + 4, "T_", 2) ? islower((unsigned char)name[6])
					    : name[4] && islower((unsigned char)name[5]));
}

/* Each function of the interface has a second name, by which wrappers call it; functions of the
 * library's own have none. */
static int has_second_name(const struct names *there, const char *name)
{
	char second[256];
	int n = snprintf(second, sizeof(second), "%c%s", *name == 'M' ? 'P' : 'p', name);

	return n < (int)sizeof(second) && names_find(there, second, (size_t)n) >= 0;
}

static int is_skipped(const char *name)
{
	for (const char *const *s = skips; *s; s++)
		if (!strcasecmp(*s, name))
			return 1;
	return 0;
}

static void functions_of(const char *path, struct names *out)
{
	struct elf_dynamic d;

	if (elf_dynamic_open(path, &d) < 0)
		return;
	elf_dynamic_functions(&d, out);
	elf_dynamic_close(&d);
}

/* "2 functions of LIBRARY have no row ...". NULL: all have one, or a file cannot be read. The
 * caller frees it. */
static char *missing_of(const char *library, const char *wrapper)
{
	struct names there = {0}, wrapped = {0};
	const char *first = NULL;
	char path[PATH_MAX], *text = NULL;
	size_t n = 0;

	if (library_find(wrapper, path)) {
		functions_of(library, &there);
		functions_of(path, &wrapped);
	}
	for (size_t i = 0; wrapped.name_n && i < there.name_n; i++) {
		const char *name = there.name[i];

		if (!is_of_standard(name) || !has_second_name(&there, name) || is_skipped(name) ||
		    names_find(&wrapped, name, strlen(name)) >= 0)
			continue;
		n++;
		if (!first || strcmp(name, first) < 0)
			first = name;
	}
	if (n)
		text = mem_printf(
			"%zu function%s of %s %s no row in the wrapper %s, such as %s; calls of "
			"%s are not recorded",
			n, n > 1 ? "s" : "", library, n > 1 ? "have" : "has", wrapper, first,
			n > 1 ? "them" : "it");
	names_release(&there);
	names_release(&wrapped);
	return text;
}

static void print(const char *library, const char *wrapper)
{
	char *text = missing_of(library, wrapper);

	if (text)
		message_print("tau-record", "%s", text);
	free(text);
}

void unwrapped_print(const struct target *t, const char *list)
{
	for (const struct wrapper *w = wrappers; w->name; w++)
		if (w->mpi && w->mpi == t->mpi.abi && wrapper_recorded(w->name, t, list))
			print(t->mpi.path, w->name);
	for (size_t i = 0; i < t->needed.library_n; i++) {
		const struct needed_library *l = &t->needed.library[i];

		if (l->path && !strncmp(l->name, "liboshmem.so.", 13) &&
		    wrapper_recorded("shmem", t, list))
			print(l->path, "shmem");
	}
}

/* In a process of its own, because the library stays. */
static void installed_print(const char *library, const char *function, const char *wrapper)
{
	void *handle, *at;
	Dl_info info;
	pid_t child;
	char *text;

	fflush(stdout);
	child = fork();
	if (child > 0)
		waitpid(child, NULL, 0);
	if (child)
		return;
	handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	at = handle ? dlsym(handle, function) : NULL;
	text = at && dladdr(at, &info) ? missing_of(info.dli_fname, wrapper) : NULL;
	if (text)
		printf("%-9s %-8s %s\n", wrapper, "lacks", text);
	fflush(stdout);
	_exit(0);
}

void unwrapped_doctor(void)
{
	installed_print("libmpi.so.40", "MPI_Init", "mpi");
	installed_print("libmpich.so.12", "MPI_Init", "mpich");
	installed_print("libmpi.so.12", "MPI_Init", "mpich");
	installed_print("liboshmem.so.40", "shmem_init", "shmem");
}
