/*
 * module.c: records which file is mapped at which addresses, so that addresses can be named offline.
 *
 * The loader's lock is not taken: another thread may hold it while it waits for a lock that our caller holds. The module of an
 * address is found with _dl_find_object, and described by its own header; it cannot be unloaded while its code runs. Only with a
 * C library without that function (before 2.35) dl_iterate_phdr is used, while none of our locks is held.
 */
#include "record/define/module.h"
#include "record/base/files.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/object.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/chunk.h"
#include "record/encode/define_write.h"
#include "record/encode/varint.h"
#include "record/format.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

struct module_search {
	uint64_t address;
	uint64_t begin, end, bias;
	char path[4096];
	uint8_t id[64];
	size_t id_n;
};

/* Copies the note of type NT_GNU_BUILD_ID from the mapped module. */
size_t build_id(const struct dl_phdr_info *info, uint8_t out[64])
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const char *p = (const char *)(info->dlpi_addr + h->p_vaddr), *end = p + h->p_memsz;

		if (h->p_type != PT_NOTE)
			continue;
		while (p + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *n = (const void *)p;
			const char *name = p + sizeof(*n),
				   *value = name + ((n->n_namesz + 3) & ~3u);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    !memcmp(name, "GNU", 4) && n->n_descsz <= 64 &&
			    value + n->n_descsz <= end) {
				memcpy(out, value, n->n_descsz);
				return n->n_descsz;
			}
			p = value + ((n->n_descsz + 3) & ~3u);
		}
	}
	return 0;
}

/*
 * The path of the file mapped at an address, from /proc/self/maps: lines "begin-end rights offset device inode   path". Returns
 * its length; -1: unknown.
 */
static ssize_t mapped_path(uint64_t address, char out[4096])
{
	long got,
		fd = system_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	uint64_t number = 0, begin = 0;
	ssize_t n = 0;
	bool inside = false, done = false;
	char text[1024];
	int word = 0; /* 0: begin, 1: end, then the other words */

	while (fd >= 0 && !done && (got = file_read(fd, text, sizeof(text))) > 0)
		for (const char *c = text; c < text + got && !done; c++) {
			if (*c == '\n') {
				done = n > 0;
				word = 0;
				number = 0;
			} else if (word > 1) {
				if (inside && (n || *c == '/') && n < 4095)
					out[n++] = *c;
			} else if (*c == '-' || *c == ' ') {
				inside = word && address >= begin && address < number;
				begin = number;
				number = 0;
				word++;
			} else {
				number <<= 4;
				number |= (uint64_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
			}
		}
	if (fd >= 0)
		system_call(SYS_close, fd);
	return n ? n : -1;
}

static char program[4096];	/* its path; "": unknown */

/* Before the program may change its root. */
void module_start(void)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = 0;
}

static ssize_t program_path(char out[4096])
{
	size_t n = strlen(program);

	memcpy(out, program, n);
	return n ? (ssize_t)n : -1;
}

/*
 * The main program has no name in the loader's list; if /proc is unavailable, its name is the one it was started with. If the
 * loader was started directly, /proc/self/exe is the loader.
 */
static void module_path(const char *name, uint64_t address, char out[4096])
{
	bool by_hand = !*name && !getauxval(AT_BASE);
	ssize_t n = *name     ? 0
		    : by_hand ? mapped_path(address, out)
			      : program_path(out);
	size_t length;

	if (n < 0)
		name = (const char *)getauxval(AT_EXECFN);
	length = name ? strlen(name) : 0;
	if (n < 0)
		n = 0;
	if (length && name[0] != '/' && strchr(name, '/') && getcwd(out, 4096)) {
		n = (ssize_t)strlen(out);
		out[n++] = '/';
	}
	if (length && (size_t)n + length < 4096) {
		memcpy(out + n, name, length);
		n += (ssize_t)length;
	}
	out[n] = 0;
}

void module_file(const struct dl_phdr_info *info, uint64_t address, char out[4096])
{
	ssize_t n = *info->dlpi_name ? mapped_path(address, out) : -1;

	if (n >= 0)
		out[n] = 0;
	else
		module_path(info->dlpi_name, address, out);
}

static int covers(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *arg)
{
	struct module_search *s = arg;
	uint64_t begin = UINT64_MAX, end = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		begin = at < begin ? at : begin;
		end = at + h->p_memsz > end ? at + h->p_memsz : end;
	}
	if (s->address < begin || s->address >= end)
		return 0;
	s->begin = begin;
	s->end = end;
	s->bias = info->dlpi_addr;
	s->id_n = build_id(info, s->id);
	module_path(info->dlpi_name, s->address, s->path);
	return 1;
}

static void module_define(const struct module_search *s)
{
	uint8_t bytes[4096 + 128], *p = bytes;

	memcpy(p, &s->begin, 8);
	memcpy(p + 8, &s->end, 8);
	memcpy(p + 16, &s->bias, 8);
	p = put_string(p + 24, s->path, strlen(s->path));
	p = put_string(p, (const char *)s->id, s->id_n);
	define_raw(TAU_DEF_MODULE, bytes, (size_t)(p - bytes));
}

static bool covered(const struct stream *st, uint64_t address)
{
	for (size_t i = 0; i < st->module_n; i++)
		if (address >= st->module[2 * i] && address < st->module[2 * i + 1])
			return true;
	return false;
}

static void module_add(const struct module_search *s)
{
	struct stream *st = self.stream;
	sigset_t saved;
	size_t n = 0;
	void *p;

	/* Samples have addresses, which readers look up among the modules that were defined up to the end of the chunk. */
	if (st->gone_end && s->begin < st->gone_end && st->gone_begin < s->end && st->sampler.room)
		chunk_divide();
	lock_acquire(&saved);
	if (s->begin < st->gone_end && st->gone_begin < s->end)
		st->gone_begin = st->gone_end = 0;
	p = st->module;
	while (n < 2 * st->module_n && st->module[n + 1])
		n += 2;			/* the pair of an unloaded module, or a new pair */
	if (n + 2 > st->module_cap)
		p = map_grow(p, &st->module_cap, sizeof(*st->module), n + 2);
	if (p) {
		st->module = p;
		st->module[n] = s->begin;
		st->module[n + 1] = s->end;
		st->module_n = n / 2 < st->module_n ? st->module_n : n / 2 + 1;
	}
	lock_release(&saved);
	if (p)
		module_define(s);
}

bool module_visit(uint64_t address, int (*look)(struct dl_phdr_info *, size_t, void *), void *arg)
{
	struct dl_phdr_info info;

	if (objects_there())
		return object_described(address, &info) && look(&info, sizeof(info), arg);
	return dl_iterate_phdr(look, arg);
}

size_t module_bytes(uint64_t address, uint8_t out[MODULE_BYTES])
{
	static const char digit[] = "0123456789abcdef";
	struct module_search s = {.address = address};
	char id[2 * sizeof(s.id)];
	uint8_t *p;

	if (!objects_there() || !module_visit(address, covers, &s))
		return 0;
	for (size_t i = 0; i < s.id_n; i++) {
		id[2 * i] = digit[s.id[i] >> 4];
		id[2 * i + 1] = digit[s.id[i] & 15];
	}
	p = put_string(out, s.path, strlen(s.path));
	p = put_string(p, id, 2 * s.id_n);
	return (size_t)(put_varint(p, s.bias) - out);
}

void module_cover(uint64_t address)
{
	struct module_search s = {.address = address};

	if (!covered(self.stream, address) && module_visit(address, covers, &s))
		module_add(&s);
}

void module_cover_sampled(uint64_t address)
{
	if (objects_there())
		module_cover(address);
}
