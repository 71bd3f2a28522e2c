/*
 * library.c: finds libcupti: the one that the process has loaded, else the one that belongs to its CUDA runtime, else that of the
 * loader's path, of the toolkit, or of a package of Python.
 *
 * Two of them in one process disturb each other, so the program's own comes first.
 */
#include "library.h"
#include "own/own.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH	4096
#define PACKAGES 4

/* What the process has loaded. */
static struct cuda_loaded {
	char cupti[PATH];
	char runtime[PATH]; /* the folder of libcudart, or of another library of CUDA */
	char packages[PACKAGES][PATH]; /* folders of packages of Python */
	size_t package_n;
} loaded;

static int is_library(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');

	return base && strncmp(base + 1, name, strlen(name)) == 0;
}

/* The first n characters, if they fit and `to` is empty. */
static void keep(char to[PATH], const char *text, size_t n)
{
	if (*to || n >= PATH)
		return;
	memcpy(to, text, n);
	to[n] = 0;
}

static void package_add(const char *path)
{
	static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
	const char *at = NULL;
	size_t n;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !at; i++)
		at = strstr(path, folders[i]);
	if (!at || loaded.package_n == PACKAGES)
		return;
	n = (size_t)(strchr(at + 1, '/') - path);
	for (size_t i = 0; i < loaded.package_n; i++)
		if (strncmp(loaded.packages[i], path, n) == 0 && !loaded.packages[i][n])
			return;
	keep(loaded.packages[loaded.package_n], path, n);
	if (*loaded.packages[loaded.package_n])
		loaded.package_n++;
}

static int library_seen(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *path = info->dlpi_name;

	(void)size;
	(void)unused;
	if (!path || *path != '/')
		return 0;
	if (is_library(path, "libcupti.so"))
		keep(loaded.cupti, path, strlen(path));
	if (is_library(path, "libcudart.so") || is_library(path, "libnvrtc.so") ||
	    is_library(path, "libcublas.so"))
		keep(loaded.runtime, path, (size_t)(strrchr(path, '/') - path));
	package_add(path);
	return 0;
}

static const char *const names[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12",
				    "libcupti.so.11.8"};
#define NAMES (sizeof(names) / sizeof(*names))

static void *open_in(const char *folder, const char *below)
{
	char path[PATH + 64];
	void *p = NULL;

	for (size_t i = 0; i < NAMES && !p; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", folder, below, names[i]);
		if (access(path, R_OK) == 0)
			p = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return p;
}

static void *open_below(const char *folder, const char *const *below)
{
	void *p = NULL;

	for (; folder && *folder && *below && !p; below++)
		p = open_in(folder, *below);
	return p;
}

void *cupti_open(void)
{
	static const char *const of_runtime[] = {".", "../../cuda_cupti/lib",
						 "../extras/CUPTI/lib64", NULL};
	static const char *const of_toolkit[] = {"lib64", "extras/CUPTI/lib64", NULL};
	static const char *const of_package[] = {"nvidia/cu13/lib", "nvidia/cuda_cupti/lib", NULL};
	static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
	const char *home = NULL;
	void *p;

	dl_iterate_phdr(library_seen, NULL);
	p = *loaded.cupti ? dlopen(loaded.cupti, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!p)
		p = open_below(loaded.runtime, of_runtime);
	for (size_t i = 0; i < NAMES && !p; i++)
		p = own_library(names[i], 1);
	for (size_t i = 0; i < sizeof(homes) / sizeof(*homes) && !p; i++) {
		const char *named = getenv(homes[i]);

		home = named && *named ? named : home;
		p = open_below(named, of_toolkit);
	}
	if (!p && !home)
		p = open_below("/usr/local/cuda", of_toolkit);
	for (size_t i = 0; i < loaded.package_n && !p; i++)
		p = open_below(loaded.packages[i], of_package);
	return p;
}
