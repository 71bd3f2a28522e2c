/*
 * needed.c: what the loader would load for a program, and files that are damaged. With a program and its loader as arguments it lists "NAME
 * PATH" instead, for tests/cli/needed.sh.
 */
#include "convert/code/needed.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert/code/elf_dynamic.h"
#include "files.h"
#include "tap.h"

static int list(const char *program, const char *loader)
{
	struct needed n;

	if (needed_read(program, loader, &n) < 0)
		return 1;
	for (size_t i = 0; i < n.library_n; i++)
		printf("%s %s\n", n.library[i].name, n.library[i].path ? n.library[i].path : "not found");
	needed_release(&n);
	return 0;
}

/* A process of its own, so that a crash is one failure. */
static int reads(const char *program, const char *loader)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		struct needed n;

		alarm(60);
		needed_read(program, loader, &n);
		needed_fits(&n, program);
		needed_release(&n);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status);
}

/* The interesting bytes of a small library: its headers, and its dynamic section with what it leads to. */
static void test_damage(const char *folder, const char *library, const char *loader)
{
	const char *path = file_below(folder, "damaged");
	size_t n, sound = 0, tried = 0;
	unsigned char *p = file_get(library, &n);

	for (size_t i = 0; i < n && i < 0x800; i += 3)
		for (int bit = 0; bit < 8; bit += 7) {
			p[i] ^= (unsigned char)(1 << bit);
			file_put(path, p, n);
			sound += (size_t)reads(path, loader);
			tried++;
			p[i] ^= (unsigned char)(1 << bit);
		}
	ok(sound == tried, "%zu of %zu damaged programs are read", sound, tried);
	sound = tried = 0;
	for (size_t i = 0; i < n; i += 37) {
		file_put(path, p, i);
		sound += (size_t)reads(path, loader);
		tried++;
	}
	ok(sound == tried, "%zu of %zu truncated programs are read", sound, tried);
	free(p);
}

static void test_symbols(const char *self, const char *libc)
{
	struct elf_dynamic d;
	struct names have = {0}, want = {0}, needs = {0};

	if (!ok(elf_dynamic_open(libc, &d) == 0, "%s is read", libc))
		return;
	ok(elf_dynamic_defines(&d, "printf") && elf_dynamic_defines(&d, "environ"), "it defines printf and environ");
	ok(!elf_dynamic_defines(&d, "printg") && !elf_dynamic_defines(&d, ""), "and nothing else");
	elf_dynamic_versions(&d, &have);
	elf_dynamic_close(&d);
	/* That of aarch64 began with GLIBC_2.17. */
	ok(have.name_n > 15, "it defines %zu versions", have.name_n);
	if (elf_dynamic_open(self, &d) == 0) {
		ok(!elf_dynamic_defines(&d, "printf"), "what a program only uses it does not define");
		elf_dynamic_versions_needed(&d, "libc.so.6", &want);
		elf_dynamic_needs(&d, &needs);
		elf_dynamic_close(&d);
	}
	ok(names_find(&needs, "mkdtemp", 7) >= 0 && names_find(&needs, "main", 4) < 0,
	   "it needs %zu symbols of others, mkdtemp among them, and not its own main", needs.name_n);
	names_release(&needs);
	ok(want.name_n > 0 && names_find(&have, want.name[0], want.length[0]) >= 0, "the program needs %zu of them", want.name_n);
	names_release(&have);
	names_release(&want);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/needed-XXXXXX";
	struct elf_dynamic d;
	struct needed n;
	char *loader = NULL, command[512];

	if (argc == 3)
		return list(argv[1], argv[2]);
	if (!mkdtemp(folder) || elf_dynamic_open("/proc/self/exe", &d) < 0)
		return 1;
	loader = elf_dynamic_interpreter(&d);
	elf_dynamic_close(&d);
	ok(loader != NULL, "the loader: %s", loader ? loader : "none");
	if (!ok(!needed_read("/proc/self/exe", loader, &n) && n.gnu && n.libc, "the C library is found"))
		return tap_end();
	ok(needed_fits(&n, "/proc/self/exe"), "which has what this program needs of it");
	test_symbols("/proc/self/exe", n.libc);
	needed_release(&n);
	ok(needed_read("/etc/passwd", loader, &n) < 0 && needed_read("/proc/self/exe", "/etc/passwd", &n) < 0, "files of other kinds");
	needed_release(&n);
	snprintf(command, sizeof(command), "cd %s && echo 'int main(void) { return 0; }' >m.c && ${CC:-cc} m.c -o m", folder);
	if (ok(system(command) == 0, "a small program is built"))
		test_damage(folder, file_below(folder, "m"), loader);
	folder_remove(folder);
	free(loader);
	return tap_end();
}
