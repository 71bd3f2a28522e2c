/*
 * module.c: finds the sections that list patchable places, by the section headers of the file that is loaded.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "kernel.h"
#include "module.h"

#define MOST_SECTIONS 4096

static bool read_at(long fd, void *out, size_t n, uint64_t at)
{
	return kernel(SYS_pread64, fd, (long)out, (long)n, (long)at, 0, 0) == (long)n;
}

/* The code, and the end of all segments. */
static void segments_get(struct module *m, const struct dl_phdr_info *info, uintptr_t *end)
{
	m->base = info->dlpi_addr;
	m->code = UINTPTR_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		*end = at + h->p_memsz > *end ? at + h->p_memsz : *end;
		if (!(h->p_flags & PF_X))
			continue;
		m->code = at < m->code ? at : m->code;
		m->code_end = at + h->p_memsz > m->code_end ? at + h->p_memsz : m->code_end;
	}
}

/* The kind of a section by its name; SITE_KINDS: another. */
static enum site_kind kind_of(long fd, const ElfW(Shdr) *names, const ElfW(Shdr) *h)
{
	static const char *const name[SITE_KINDS] = {"__patchable_function_entries", "__mcount_loc",
						     "xray_instr_map"};
	char text[32] = "";

	if (!(h->sh_flags & SHF_ALLOC) || h->sh_name >= names->sh_size ||
	    kernel(SYS_pread64, fd, (long)text, sizeof(text) - 1,
		   (long)(names->sh_offset + h->sh_name), 0, 0) <= 0)
		return SITE_KINDS;
	for (int k = 0; k < SITE_KINDS; k++)
		if (!strcmp(text, name[k]))
			return (enum site_kind)k;
	return SITE_KINDS;
}

static void sections_get(struct module *m, long fd, uintptr_t end)
{
	ElfW(Shdr) names, h;
	ElfW(Ehdr) head;

	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_shentsize != sizeof(h) || head.e_shstrndx >= head.e_shnum ||
	    head.e_shnum > MOST_SECTIONS ||
	    !read_at(fd, &names, sizeof(names), head.e_shoff + head.e_shstrndx * sizeof(h)))
		return;
	for (unsigned i = 1; i < head.e_shnum; i++) {
		struct section *s = &m->section[m->sections];
		enum site_kind kind;

		if (!read_at(fd, &h, sizeof(h), head.e_shoff + i * sizeof(h)))
			return;
		kind = kind_of(fd, &names, &h);
		if (kind == SITE_KINDS || m->sections == sizeof(m->section) / sizeof(*s) ||
		    h.sh_addr + m->base > end || h.sh_size > end - (h.sh_addr + m->base))
			continue;
		*s = (struct section){kind, (const uint8_t *)(h.sh_addr + m->base), h.sh_size};
		m->sections++;
	}
}

int module_get(struct module *m, const struct dl_phdr_info *info)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	uintptr_t end = 0;
	long fd;

	memset(m, 0, sizeof(*m));
	segments_get(m, info, &end);
	fd = m->code < m->code_end
		     ? kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0)
		     : -1;
	if (fd < 0)
		return 0;
	sections_get(m, fd, end);
	kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	return m->sections > 0;
}
