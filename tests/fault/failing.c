/*
 * failing.c: preloaded after the recorder, makes the recorder's system calls fail: call number FAIL_AT (1, 2, 3 ...) of those that it
 * makes by its own system_call(), which becomes a jump to here, or with FAIL_EVER that one and all later ones of the same kind. FAIL_SHORT=1: half of a write is
 * done instead. FAIL_KILL=1: the program is killed instead, and reading a clock counts as a call. SLOW_US: calls on files take this
 * time. FAIL_LOG: a file that gets the number of calls counted.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct {
	long number;
	int error;
} kinds[] = {
	{ SYS_openat, EMFILE }, { SYS_write, ENOSPC }, { SYS_fallocate, ENOSPC }, { SYS_mmap, ENOMEM }, { SYS_ftruncate, EIO },
	{ SYS_renameat2, EIO }, { SYS_unlinkat, EIO }, { SYS_close, EIO }, { SYS_clock_gettime, EINVAL },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static long at, ever, halve, kills, slow_us, calls, failing;
static int diverted;	/* functions of the recorder */
static const char *log_path;

static int one(struct dl_phdr_info *i, size_t size, void *to);

__attribute__((constructor(101))) static void begin(void)
{
	const char *v;

	at = (v = getenv("FAIL_AT")) ? atol(v) : 0;
	ever = getenv("FAIL_EVER") != NULL;
	halve = getenv("FAIL_SHORT") != NULL;
	kills = getenv("FAIL_KILL") != NULL;
	slow_us = (v = getenv("SLOW_US")) ? atol(v) : 0;
	log_path = getenv("FAIL_LOG");
	dl_iterate_phdr(one, NULL);
	/* A test of faults that makes none would always pass. */
	if (!diverted)
		_exit(99);
}

__attribute__((destructor(101))) static void end(void)
{
	FILE *f = log_path ? fopen(log_path, "w") : NULL;

	if (f) {
		fprintf(f, "%ld\n", calls);
		fclose(f);
	}
}

static int find(long number)
{
	for (int i = 0; i < (int)KINDS; i++)
		if (kinds[i].number == number)
			return i;
	return -1;
}

/* Must this call fail? */
static int fails(int kind)
{
	struct timespec t = { 0, slow_us * 1000 };
	long n;

	if (kind < 0)
		return 0;
	if (slow_us && kinds[kind].number != SYS_mmap)
		nanosleep(&t, NULL);
	n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (!at)
		return 0;
	if (n == at && kills)
		kill(getpid(), SIGKILL);
	if (n == at)
		failing = kinds[kind].number;
	return n == at || (ever && n > at && failing == kinds[kind].number);
}

/* In place of the recorder's system_call(): the call, as libc makes it. */
static long call(long number, long a, long b, long c, long d, long e, long f)
{
	int kind = find(number);

	/* Reading a clock counts only in clock(). */
	if (number != SYS_clock_gettime && !(halve && number == SYS_mmap) && fails(kind)) {
		if (halve && number == SYS_write && c > 1)
			return syscall(number, a, b, c / 2);
		if (!halve) {
			if (number == SYS_close)
				syscall(number, a);
			errno = kinds[kind].error;
			return -1;
		}
	}
	return syscall(number, a, b, c, d, e, f);
}

/* In place of its clock_gettime(). */
static int clock_read(clockid_t clock, struct timespec *t)
{
	if (kills)
		fails(find(SYS_clock_gettime));
	return clock_gettime(clock, t);
}

/* Makes the function at `at` a jump to `to`. */
static void divert(unsigned char *at, void *to)
{
	unsigned char *page = (unsigned char *)((uintptr_t)at & ~(uintptr_t)4095);
#if defined(__x86_64__)
	static const unsigned char before[] = { 0x48, 0xb8 }, after[] = { 0xff, 0xe0 };	/* movabs, jmp *%rax */
#elif defined(__aarch64__)
	static const unsigned char before[] = { 0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6 }, after[] = { 0 };	/* ldr x16, br x16 */
#else
#error no jump is known for this processor
#endif

	if (mprotect(page, (size_t)(at + 32 - page), PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		_exit(99);
	memcpy(at, before, sizeof(before));
	memcpy(at + sizeof(before), &to, sizeof(to));
	if (after[0])
		memcpy(at + sizeof(before) + sizeof(to), after, sizeof(after));
	__builtin___clear_cache((char *)at, (char *)at + 32);
}

/* Diverts the two functions in one library of the recorder: its table of all symbols has the hidden ones, too. */
static void divert_in(const char *base, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const char *whole;
	const ElfW(Shdr) *section;

	if (fd < 0 || fstat(fd, &st) < 0)
		_exit(99);
	whole = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	section = (const ElfW(Shdr) *)(whole + ((const ElfW(Ehdr) *)whole)->e_shoff);
	for (int i = 0; i < ((const ElfW(Ehdr) *)whole)->e_shnum; i++) {
		const ElfW(Sym) *symbol = (const ElfW(Sym) *)(whole + section[i].sh_offset);
		const char *names = whole + section[section[i].sh_link].sh_offset;

		if (section[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t k = 0; k < section[i].sh_size / sizeof(*symbol); k++) {
			unsigned char *at = (unsigned char *)base + symbol[k].st_value;

			if (!symbol[k].st_shndx || (symbol[k].st_info & 15) != STT_FUNC)
				continue;
			if (!strcmp(names + symbol[k].st_name, "system_call"))
				divert(at, (void *)call), diverted++;
			else if (!strcmp(names + symbol[k].st_name, "clock_gettime"))
				divert(at, (void *)clock_read);
		}
	}
	munmap((void *)whole, (size_t)st.st_size);
}

static int one(struct dl_phdr_info *i, size_t size, void *to)
{
	(void)size;
	(void)to;
	if (strstr(i->dlpi_name, "/libtau"))
		divert_in((const char *)i->dlpi_addr, i->dlpi_name);
	return 0;
}
