/*
 * papi_copy.c: loads a library as a copy without a name, in memory, which no other code finds: a
 * program that loads the same library while it runs gets its own copy. What it starts, ends and
 * shuts down there does not change ours.
 *
 * The loader uses a library that is already loaded if the files, or the names in the libraries
 * (DT_SONAME), are the same. The copy is another file, and the tag of its name is overwritten with
 * one that has no meaning.
 */
#include "record/metric/papi_copy.h"
#include "record/base/files.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool copy_bytes(int from, int to)
{
	char bytes[4096];
	long n;

	while ((n = file_read(from, bytes, sizeof(bytes))) > 0)
		if (!file_write(to, bytes, (size_t)n))
			return false;
	return n == 0;
}

static bool read_at(int fd, void *to, size_t n, uint64_t at)
{
	return system_call(SYS_pread64, fd, to, n, at) == (long)n;
}

/* The library's own name is no more. */
static bool name_drop(int fd)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part = {0};
	ElfW(Dyn) entry;

	if (!read_at(fd, &head, sizeof(head), 0))
		return false;
	for (int i = 0; i < head.e_phnum && part.p_type != PT_DYNAMIC; i++)
		if (!read_at(fd, &part, sizeof(part), head.e_phoff + (uint64_t)i * sizeof(part)))
			return false;
	if (part.p_type != PT_DYNAMIC)
		return false;
	for (uint64_t at = 0; at < part.p_filesz; at += sizeof(entry)) {
		if (!read_at(fd, &entry, sizeof(entry), part.p_offset + at))
			return false;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag != DT_SONAME)
			continue;
		entry.d_tag = DT_LOOS;
		return system_call(SYS_pwrite64, fd, &entry, sizeof(entry), part.p_offset + at) ==
		       sizeof(entry);
	}
	return true;
}

/* A file in memory; -1: it cannot be made. */
static int copy_make(const char *path)
{
	int from = file_open(path, O_RDONLY), fd;

	if (from < 0)
		return -1;
	fd = (int)system_call(SYS_memfd_create, "papi", MFD_CLOEXEC);
	if (fd >= 0 && !(copy_bytes(from, fd) && name_drop(fd))) {
		file_close(fd);
		fd = -1;
	}
	file_close(from);
	return fd;
}

static void *copy_load(const char *path)
{
	int fd = copy_make(path);
	char name[40];
	void *library;

	if (fd < 0)
		return NULL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	file_close(fd);
	return library;
}

bool papi_copy(const char *name, void **copy)
{
	void *library = own_library(name, 1);
	const struct link_map *map = library;	/* what a handle is */

	*copy = NULL;
	if (!library)
		return false;
	*copy = copy_load(map->l_name);
	own_close(library);
	return true;
}
