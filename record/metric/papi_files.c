/*
 * papi_files.c: keeps the files of PAPI's library out of the program's way.
 *
 * PAPI opens its counters under the lowest numbers there are, and leaves them open to programs that
 * this one becomes. A program that closes files which are not its own, and opens others under their
 * numbers, would have these read. So the library's calls of the system come here first: its slots of
 * syscall, open, read and close are written over as soon as it is loaded, and its files get numbers
 * far above those that open() gives, not handed on, and known, so that a forked child can close them.
 * The calls go past the wrapper of files, too.
 */
#include "record/metric/papi_files.h"
#include "record/base/files.h"
#include "record/metric/perf.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 65536 /* numbers that are kept in mind */

static uint64_t held[FILES / 64];

static long hold(long fd)
{
	fd = file_move_high((int)fd);
	if (fd >= 0 && fd < FILES)
		__atomic_or_fetch(&held[fd / 64], 1ull << fd % 64, __ATOMIC_RELAXED);
	return fd;
}

static long call_system(long number, long a, long b, long c, long d, long e, long f)
{
	if (number == SYS_perf_event_open)
		return hold(system_call(number, a, b, c, d, e | PERF_FLAG_FD_CLOEXEC));
	return system_call(number, a, b, c, d, e, f);
}

static int call_open(const char *path, int flags, mode_t mode)
{
	return (int)hold(system_call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

static ssize_t call_read(int fd, void *to, size_t size)
{
	return file_read(fd, to, size);
}

static int call_close(int fd)
{
	if (fd >= 0 && fd < FILES)
		__atomic_and_fetch(&held[fd / 64], ~(1ull << fd % 64), __ATOMIC_RELAXED);
	return (int)system_call(SYS_close, fd);
}

static const struct {
	const char *name;
	void *to;
} calls[] = {
	{"syscall", (void *)call_system},
	{"open", (void *)call_open},
	{"read", (void *)call_read},
	{"close", (void *)call_close},
};

/* Where the loader has made an object's slots read-only. */
struct sealed {
	uintptr_t base, begin, end;
};

static int seal_find(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *argument)
{
	struct sealed *s = argument;

	if (info->dlpi_addr != s->base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
			s->begin = s->base + info->dlpi_phdr[i].p_vaddr;
			s->end = s->begin + info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

static void slot_write(void **slot, void *to, const struct sealed *s)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)slot & -page;

	if (mprotect((void *)at, page, PROT_READ | PROT_WRITE) < 0)
		return;
	*slot = to;
	if ((uintptr_t)slot >= s->begin && (uintptr_t)slot < s->end)
		mprotect((void *)at, page, PROT_READ);
}

/* Of a table of relocations: those that are the address of one of the calls. */
static void slots_write(const ElfW(Rela) * r, size_t bytes, const ElfW(Sym) * symbols,
			const char *names, const struct sealed *s)
{
	for (size_t n = bytes / sizeof(*r); r && n > 0; n--, r++)
		for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
			if (ELF64_R_SYM(r->r_info) && !r->r_addend &&
			    !strcmp(names + symbols[ELF64_R_SYM(r->r_info)].st_name, calls[i].name))
				slot_write((void **)(s->base + r->r_offset), calls[i].to, s);
}

void papi_files_keep(void *library)
{
	const void *table[DT_JMPREL + 1] = {NULL};
	size_t bytes[DT_JMPREL + 1] = {0};
	struct sealed s = {0, 0, 0};
	const struct link_map *map = library;	/* what a handle is */

	s.base = map->l_addr;
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		uintptr_t value = d->d_un.d_ptr;

		if (d->d_tag < 0 || d->d_tag > DT_JMPREL)
			continue;
		bytes[d->d_tag] = d->d_un.d_val;
		table[d->d_tag] = (const void *)(value < s.base ? value + s.base : value);
	}
	if (!table[DT_SYMTAB] || !table[DT_STRTAB])
		return;
	dl_iterate_phdr(seal_find, &s);
	slots_write(table[DT_RELA], bytes[DT_RELASZ], table[DT_SYMTAB], table[DT_STRTAB], &s);
	slots_write(table[DT_JMPREL], bytes[DT_PLTRELSZ], table[DT_SYMTAB], table[DT_STRTAB], &s);
}

/* The parent's counters, in a forked child; what the program has put in place of one stays. */
void papi_files_forget(void)
{
	uint64_t id;

	for (int at = 0; at < FILES / 64; at++)
		for (; held[at]; held[at] &= held[at] - 1) {
			int fd = at * 64 + __builtin_ctzll(held[at]);

			if (ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0)
				system_call(SYS_close, fd);
		}
}
