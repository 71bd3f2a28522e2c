/*
 * library.c: opens libraries that may not be installed: dlopen() is only called where the file is
 * there, because its failure leaves a text, as that of dlsym() does (object.c).
 */
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define PATH 4096

/* The loader's own test of a loaded object, without its failure. */
static const char *loaded_path(const char *name)
{
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next) {
		const char *base = strrchr(m->l_name, '/');

		if (!strcmp(m->l_name, name) || (base && !strcmp(base + 1, name)))
			return m->l_name;
	}
	return NULL;
}

static int is_there(const char *path)
{
	int saved = errno;
	long fd = system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);

	if (fd >= 0)
		system_call(SYS_close, fd);
	errno = saved;
	return fd >= 0;
}

static int in_directory(const char *directory, size_t n, const char *name, char path[PATH])
{
	return n && snprintf(path, PATH, "%.*s/%s", (int)n, directory, name) < PATH &&
	       is_there(path);
}

static int in_list(const char *list, const char *name, char path[PATH])
{
	while (list && *list) {
		size_t n = strcspn(list, ":");

		if (in_directory(list, n, name, path))
			return 1;
		list += n + (list[n] == ':');
	}
	return 0;
}

/* The directory that the C library comes from has the other libraries of the system. */
static int beside_libc(const char *name, char path[PATH])
{
	const char *libc = loaded_path("libc.so.6"), *slash = libc ? strrchr(libc, '/') : NULL;

	return slash && in_directory(libc, (size_t)(slash - libc), name, path);
}

void *own_library(const char *name, int load)
{
	const char *loaded = loaded_path(name);
	char path[PATH];

	if (loaded)
		return dlopen(loaded, RTLD_LAZY | RTLD_NOLOAD);
	if (!load)
		return NULL;
	if (*name == '/'
		    ? !is_there(strcpy(path, name))
		    : !in_list(getenv("LD_LIBRARY_PATH"), name, path) && !beside_libc(name, path) &&
			      !in_list("/usr/local/lib:/usr/lib64:/lib64:/usr/lib:/lib", name,
				       path))
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void own_close(void *library)
{
	int (*function)(void *);

	*(void **)&function = own_libc("dlclose");
	if (function)
		function(library);
}
