/*
 * elf.c: fuzzes the readers of programs and libraries: what their loader needs, their functions, and what their code calls. The first
 * byte has flags (1: the others are the cache of ldconfig); the next two are an address (16 bits, from the first segment on); the others
 * are the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "convert/code/compiler.h"
#include "convert/code/elf_dynamic.h"
#include "convert/code/exports.h"
#include "convert/code/loader_cache.h"
#include "convert/code/symbols.h"
#include "convert/code/variables.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

static void cache(const unsigned char *p, size_t n)
{
	static const char *const levels[] = {"x86-64-v3", "x86-64-v2", NULL};
	const char *path[4];
	char *text = mem_alloc(n + 1);
	size_t found;

	memcpy(text, p, n);
	text[n] = 0;
	found = loader_cache_find(text, n, "libc.so.6", levels, path, 4);
	for (size_t i = 0; i < found; i++)
		if (path[i] < text || path[i] + strlen(path[i]) > text + n)
			abort();
	free(text);
}

static void dynamic(const char *path)
{
	struct elf_dynamic d;
	struct names names[4] = {{0}};
	char *text[3];

	if (elf_dynamic_open(path, &d))
		return;
	text[0] = elf_dynamic_interpreter(&d);
	text[1] = elf_dynamic_name(&d, DT_SONAME);
	text[2] = elf_dynamic_name(&d, DT_NEEDED);
	elf_dynamic_functions(&d, &names[0]);
	elf_dynamic_needs(&d, &names[1]);
	elf_dynamic_versions(&d, &names[2]);
	elf_dynamic_versions_needed(&d, "libc.so.6", &names[3]);
	elf_dynamic_defines(&d, "main");
	elf_dynamic_close(&d);
	for (int i = 0; i < 3; i++)
		free(text[i]);
	for (int i = 0; i < 4; i++)
		names_release(&names[i]);
}

static void each(void *to, uint64_t address, const char *name, const char *file)
{
	size_t *n = to;

	(void)address;
	*n += strlen(name) + (file ? strlen(file) : 0);
}

static void names_of(const char *path, uint64_t address)
{
	struct symbols *s = symbols_new();
	size_t length = 0;

	symbols_each(s, path, NULL, 0, 1, each, &length);
	symbols_get(s, path, NULL, 0, 0, address);
	symbols_place(s, path, NULL, 0, address);
	free(symbols_callers(s, path, NULL, 0, address));
	free(symbols_start_name(s, path, NULL, 0, address));
	symbols_free(s);
	free(variable_name(path, NULL, 0, address));
}

static void file(const unsigned char *p, size_t n, uint64_t address)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), hooks;
	struct exports x;
	struct error e = {0};
	unsigned char id[64];
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		abort();
	dynamic(path);
	symbols_build_id(path, id, &hooks);
	free(compiler_of(path));
	if (!exports_read(path, &x, &e))
		exports_release(&x);
	names_of(path, address);
	close(fd);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	if (n < 3)
		return 0;
	if (*p & 1)
		cache(p + 3, n - 3);
	else
		file(p + 3, n - 3, p[1] | (uint64_t)p[2] << 8);
	return 0;
}
