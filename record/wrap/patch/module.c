/*
 * module.c: finds the sections that list patchable places, by the section headers of the file that is loaded. convert/code/hooks.c
 * has the same names of sections, for files, and may use libelf; here no library may be called.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel.h"
#include "module.h"

#define MOST_SECTIONS 4096
#define PAGE 4096ul

static bool read_at(long fd, void *out, size_t n, uint64_t at)
{
	return kernel(SYS_pread64, fd, (long)out, (long)n, (long)at, 0, 0) == (long)n;
}

static void codes_get(struct module *m, const struct dl_phdr_info *info)
{
	m->base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || !(h->p_flags & PF_R) ||
		    m->codes == sizeof(m->code) / sizeof(*m->code))
			continue;
		/* To the end of its last page, which can be read. */
		m->code[m->codes++] = (struct code){
			at, (at + h->p_memsz + PAGE - 1) & ~(PAGE - 1),
			PROT_READ | PROT_EXEC | (h->p_flags & PF_W ? PROT_WRITE : 0)};
	}
}

const struct code *module_code(const struct module *m, uintptr_t at, size_t n)
{
	for (size_t i = 0; i < m->codes; i++)
		if (at >= m->code[i].begin && at <= m->code[i].end && n <= m->code[i].end - at)
			return &m->code[i];
	return NULL;
}

/* Is it in one segment that can be read? The file may not be the one that was loaded. */
static bool is_readable(const struct dl_phdr_info *info, uintptr_t at, size_t n)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && h->p_flags & PF_R && at >= begin &&
		    at - begin <= h->p_memsz && n <= h->p_memsz - (at - begin))
			return true;
	}
	return false;
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

static void sections_get(struct module *m, const struct dl_phdr_info *info, long fd)
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
		    !is_readable(info, m->base + h.sh_addr, h.sh_size))
			continue;
		*s = (struct section){kind, (const uint8_t *)(h.sh_addr + m->base), h.sh_size};
		m->sections++;
	}
}

int module_get(struct module *m, const struct dl_phdr_info *info)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	long fd;

	memset(m, 0, sizeof(*m));
	codes_get(m, info);
	fd = m->codes ? kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0)
		      : -1;
	if (fd < 0)
		return 0;
	sections_get(m, info, fd);
	kernel(SYS_close, fd, 0, 0, 0, 0, 0);
	return m->sections > 0;
}
