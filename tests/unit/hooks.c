/* hooks.c: which calls binaries are built for: this one for two kinds, a program of the system for none. */
#include "convert/code/hooks.h"

#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

#include "tap.h"

extern void __cyg_profile_func_enter(void *function, void *site) __attribute__((weak));

__attribute__((noinline, patchable_function_entry(5))) static int patchable(int n)
{
	return n + 1;
}

static int hooks_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), hooks = -1;
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (elf)
		hooks = hooks_find(elf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return hooks;
}

int main(int argc, char **argv)
{
	elf_version(EV_CURRENT);
	if (__cyg_profile_func_enter)
		__cyg_profile_func_enter(NULL, NULL);
	ok(patchable(argc) == argc + 1, "a function with room for a call");
	ok(hooks_of("/proc/self/exe") == (HOOKS_COMPILER | HOOKS_PATCHABLE), "both");
	ok(hooks_of("/bin/true") == 0, "none: %d", hooks_of("/bin/true"));
	ok(hooks_of(argv[0]) == hooks_of("/proc/self/exe"), "by its name");
	return tap_end();
}
