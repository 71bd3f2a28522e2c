/*
 * object.c: the loaded object that contains an address, and copies of memory that may not be readable: without locks, for signal
 * handlers.
 *
 * Objects are found with the loader's _dl_find_object, which takes no lock.
 */
#include "record/base/object.h"
#include "record/api.h"
#include "record/base/process.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>

bool memory_copy(void *out, uint64_t address, size_t n)
{
	struct iovec to = {out, n}, from = {(void *)address, n};
	long got = system_call(SYS_process_vm_readv, (long)process.pid, &to, 1L, &from, 1L, 0L);

	/* Filters of containers refuse it, and emulators have none. */
	if (got < 0 && (errno == EPERM || errno == ENOSYS)) {
		long fd = system_call(SYS_openat, (long)AT_FDCWD, "/proc/self/mem",
				      O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return false;
		got = system_call(SYS_pread64, fd, out, n, (long)address);
		system_call(SYS_close, fd);
	}
	return got == (long)n;
}

static int (*find_object)(void *address, struct dl_find_object *out);
static const struct link_map *main_map;
static uint8_t *main_begin, *main_end;

/*
 * The kernel maps the main program segment by segment. If there are free pages between two segments, the loader treats each as
 * separate, and would find the code alone; its header and the call frame information are in other segments.
 */
static void main_span(void)
{
	const ElfW(Phdr) *h = (const void *)getauxval(AT_PHDR);
	size_t n = getauxval(AT_PHNUM), page = getauxval(AT_PAGESZ);
	uintptr_t begin = UINTPTR_MAX, end = 0, at;
	struct dl_find_object o;

	if (!h || !page || find_object((void *)getauxval(AT_ENTRY), &o) != 0)
		return;
	for (; n > 0; n--, h++) {
		if (h->p_type != PT_LOAD)
			continue;
		at = o.dlfo_link_map->l_addr + h->p_vaddr;
		begin = at < begin ? at & ~(page - 1) : begin;
		end = at + h->p_memsz > end ? at + h->p_memsz : end;
	}
	main_map = o.dlfo_link_map;
	main_begin = (uint8_t *)begin;
	main_end = (uint8_t *)end;
}

/*
 * It is called first when recording begins, and looks for the function only then: inside free() it must
 * not. The loader's own calls free the message of an error before they forget it, so a call inside of
 * that one would free it, too.
 */
bool objects_start(void)
{
	static bool sought;

	if (sought)
		return find_object != NULL;
	sought = true;
	*(void **)&find_object = own_libc("_dl_find_object");
	if (find_object)
		main_span();
	return find_object != NULL;
}

bool objects_there(void)
{
	return find_object != NULL;
}

bool object_at(uint64_t address, struct dl_find_object *out)
{
	if (!find_object || find_object((void *)address, out) != 0)
		return false;
	if (out->dlfo_link_map == main_map) {
		out->dlfo_map_start = main_begin;
		out->dlfo_map_end = main_end;
	}
	return true;
}

bool object_described(uint64_t address, struct dl_phdr_info *out)
{
	const ElfW(Ehdr) * head;
	struct dl_find_object o;

	if (!object_at(address, &o))
		return false;
	head = o.dlfo_map_start;
	if (memcmp(head->e_ident, ELFMAG, SELFMAG))
		return false;
	*out = (struct dl_phdr_info){
		.dlpi_addr = o.dlfo_link_map->l_addr,
		.dlpi_name = o.dlfo_link_map->l_name,
		.dlpi_phdr = (const void *)((const char *)head + head->e_phoff),
		.dlpi_phnum = head->e_phnum,
	};
	return true;
}

int tau_copy(void *to, uintptr_t from, size_t n)
{
	return memory_copy(to, from, n);
}

int tau_object(uintptr_t address, struct tau_object *out)
{
	struct dl_phdr_info info;

	if (!find_object)
		return -1;
	if (!object_described(address, &info))
		return 0;
	*out = (struct tau_object){info.dlpi_name, info.dlpi_addr, info.dlpi_phdr, info.dlpi_phnum};
	return 1;
}
