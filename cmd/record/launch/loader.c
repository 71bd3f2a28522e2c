/*
 * loader.c: finds what a program's dynamic loader would load, and whether it takes the recorder.
 *
 * LD_PRELOAD goes on to all children. The loader of another C library (musl) would find the recorder, miss symbols in it, and end
 * the program. So what is preloaded are libraries with nothing in them (load-NAME.so beside NAME.so) but an entry DT_AUXILIARY: the
 * GNU loader loads the library that it names, too, and others do not know it. A name with $LIB, which only the GNU loader
 * knows, would do as well, but for names with $ it makes a system call, readlink, that a seccomp filter may forbid the program.
 */
#include "cmd/record/launch/loader.h"

#include "cmd/record/launch/mpi_abi.h"
#include "convert/code/needed.h"

#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The empty library that is preloaded instead of one of ours. */
static char *stand_in(const char *path)
{
	int folder = (int)(strrchr(path, '/') + 1 - path);

	return mem_printf("%.*sload-%s", folder, path, path + folder);
}

static int own_libc(struct dl_phdr_info *info, size_t size, void *path)
{
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (!base || strncmp(base, "/libc.so.", 9) != 0)
		return 0;
	*(const char **)path = info->dlpi_name;
	return 1;
}

/* The program has the C library of this process, which the recorder was built for. */
static int is_own_libc(const struct needed *n)
{
	const char *own = NULL;
	struct stat a, b;

	dl_iterate_phdr(own_libc, &own);
	return own && n->libc && stat(own, &a) == 0 && stat(n->libc, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void loader_read(struct target *t, const char *library)
{
	char *everywhere;

	/* If its loader is not there, the program itself will fail. */
	if (needed_read(t->elf, t->interpreter, &t->needed) < 0)
		return;
	t->known = t->needed.gnu;
	mpi_library_find(t->elf, &t->needed, &t->mpi);
	if (!library)
		return;
	if (!t->needed.gnu || (!is_own_libc(&t->needed) && !needed_fits(&t->needed, library))) {
		t->obstacle = "is built for a different C library than the recorder";
		return;
	}
	everywhere = stand_in(library);
	t->everywhere = access(everywhere, R_OK) == 0;
	free(everywhere);
}

char *loader_name(const struct target *t, const char *path)
{
	return t->everywhere ? stand_in(path) : mem_string(path);
}
