/*
 * select.c: regions that are kept out by name. tau-record has read the user's selection and made a
 * table (format.h): names for the regions that say their own, addresses for functions with compiler
 * hooks.
 *
 * A region is looked up when it is defined, a function when a stream first sees it.
 */
#include "record/enter/select.h"
#include "record/core/api.h"
#include "record/core/control.h"
#include "record/core/failure.h"
#include "record/core/files.h"
#include "record/core/frame.h"
#include "record/core/module.h"
#include "record/core/process.h"
#include "record/encode/deflate.h"
#include "record/format.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint8_t *table; /* NULL: nothing is kept out */
static uint64_t table_size;

static const struct tau_select_header *head(void)
{
	return (const void *)table;
}

static bool inside(uint64_t at, uint64_t n)
{
	return at <= table_size && n <= table_size - at;
}

static bool module_good(const struct tau_select_module *m)
{
	if (!inside(m->id, m->id_n) || !inside(m->path, m->path_n))
		return false;
	for (int i = 0; i < TAU_SELECT_LISTS; i++)
		if (m->address[i] % 8 || m->address_n[i] > table_size / 8 ||
		    !inside(m->address[i], m->address_n[i] * 8))
			return false;
	return true;
}

/* Checks all that later look-ups rely on. */
static bool table_good(void)
{
	const struct tau_select_header *h = head();
	const struct tau_select_module *m = (const void *)(h + 1);
	const struct tau_select_pattern *p;

	if (table_size < sizeof(*h) || memcmp(h->magic, TAU_SELECT_MAGIC, 8) != 0 ||
	    h->size != table_size || h->crc != codec_crc(h + 1, table_size - sizeof(*h)))
		return false;
	if (!inside(sizeof(*h),
		    h->modules * (uint64_t)sizeof(*m) + h->patterns * (uint64_t)sizeof(*p)))
		return false;
	p = (const void *)(m + h->modules);
	for (uint32_t i = 0; i < h->modules; i++)
		if (!module_good(&m[i]))
			return false;
	for (uint32_t i = 0; i < h->patterns; i++)
		if (!inside(p[i].text, p[i].length) || p[i].kind >= TAU_SELECT_KINDS)
			return false;
	return true;
}

void select_start(void)
{
	const char *path = getenv("TAU_RECORD_SELECT");
	void *p;
	int fd;

	if (!path || !*path)
		return;
	fd = file_own(path, O_RDONLY, &table_size);
	if (fd < 0) {
		say("%s: cannot be read; nothing is excluded", path);
		return;
	}
	p = mmap(tau_map_at(table_size), table_size, PROT_READ, MAP_PRIVATE, fd, 0);
	file_close(fd);
	table = p == MAP_FAILED ? NULL : p;
	if (!table || !table_good()) {
		say("%s: is damaged; nothing is excluded", path);
		table = NULL;
	}
	process.groups_touched |= table && head()->patterns;
	process.picks |= table != NULL;
}

/* ---- by name ---- */

/* mark: the character that stands for any characters; one: the one that stands for one, 0 none. */
static bool matches(const char *pattern, size_t pattern_n, const char *name, size_t n, char mark,
		    char one)
{
	size_t p = 0, at = 0, from = 0, retry = SIZE_MAX;

	while (at < n) {
		if (p < pattern_n && pattern[p] == mark) {
			retry = ++p;
			from = at;
		} else if (p < pattern_n &&
			   (pattern[p] == name[at] || (one && pattern[p] == one))) {
			p++;
			at++;
		} else if (retry != SIZE_MAX) {
			p = retry;
			at = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern_n && pattern[p] == mark)
		p++;
	return p == pattern_n;
}

/* Length of what stands before the first of the characters. */
static size_t length_before(const char *text, size_t n, const char *stop)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(stop, text[i]))
			return i;
	return n;
}

static const struct tau_select_pattern *patterns(void)
{
	const struct tau_select_module *m = (const void *)(head() + 1);

	return (const void *)(m + head()->modules);
}

static bool pattern_fits(const struct tau_select_pattern *p, const char *name, size_t name_n,
			 const char *file, size_t file_n)
{
	const char *text = (const char *)table + p->text;

	if (p->kind == TAU_SELECT_FILE_EXCLUDE || p->kind == TAU_SELECT_FILE_INCLUDE)
		return matches(text, p->length, file, file_n, '*', '?');
	return matches(text, p->length, name, name_n, '#', 0) ||
	       matches(text, p->length, name, length_before(name, name_n, "(.["), '#', 0);
}

bool select_keeps_out(const char *name, size_t name_n, const char *file, size_t file_n)
{
	const struct tau_select_pattern *p;
	bool hit[TAU_SELECT_KINDS] = {false}, any[TAU_SELECT_KINDS] = {false};

	if (!table)
		return false;
	p = patterns();
	for (uint32_t i = 0; i < head()->patterns; i++) {
		any[p[i].kind] = true;
		hit[p[i].kind] |= pattern_fits(&p[i], name, name_n, file, file_n);
	}
	if (hit[TAU_SELECT_START] || hit[TAU_SELECT_STOP])
		return false;
	if (hit[TAU_SELECT_EXCLUDE] || (any[TAU_SELECT_INCLUDE] && !hit[TAU_SELECT_INCLUDE]))
		return true;
	return file_n && (hit[TAU_SELECT_FILE_EXCLUDE] ||
			  (any[TAU_SELECT_FILE_INCLUDE] && !hit[TAU_SELECT_FILE_INCLUDE]));
}

uint32_t select_flags(const char *name, size_t name_n)
{
	const struct tau_select_pattern *p = table ? patterns() : NULL;
	uint32_t flags = 0;

	for (uint32_t i = 0; p && i < head()->patterns; i++) {
		if (p[i].kind == TAU_SELECT_START && pattern_fits(&p[i], name, name_n, "", 0))
			flags |= RICH_START;
		if (p[i].kind == TAU_SELECT_STOP && pattern_fits(&p[i], name, name_n, "", 0))
			flags |= RICH_STOP;
	}
	return flags;
}

/* ---- by address ---- */

struct place {
	uint64_t address;
	bool on[TAU_SELECT_LISTS];
};

/* The file path of a module whose name the loader gives as it was asked for. */
static bool same_module(const struct tau_select_module *m, const struct dl_phdr_info *info)
{
	uint8_t id[64];
	size_t n = build_id(info, id);
	char path[4096];
	ssize_t length = (ssize_t)strlen(info->dlpi_name);

	if (m->id_n || n)
		return m->id_n == n && !memcmp(table + m->id, id, n);
	if (!length)
		length = readlink("/proc/self/exe", path, sizeof(path));
	else if ((size_t)length < sizeof(path))
		memcpy(path, info->dlpi_name, (size_t)length);
	return length > 0 && (uint64_t)length == m->path_n &&
	       !memcmp(path, table + m->path, m->path_n);
}

static bool listed(const struct tau_select_module *m, enum tau_select_list list, uint64_t address)
{
	const uint64_t *v = (const void *)(table + m->address[list]);
	uint64_t low = 0, high = m->address_n[list];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (v[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->address_n[list] && v[low] == address;
}

static int look(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *arg)
{
	const struct tau_select_module *m = (const void *)(head() + 1);
	struct place *at = arg;
	bool here = false;

	for (int i = 0; i < info->dlpi_phnum && !here; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		here = h->p_type == PT_LOAD &&
		       at->address - info->dlpi_addr - h->p_vaddr < h->p_memsz;
	}
	if (!here)
		return 0;
	at->on[TAU_LIST_OUT] = head()->flags & TAU_SELECT_UNKNOWN;
	for (uint32_t i = 0; i < head()->modules; i++)
		if (same_module(&m[i], info)) {
			for (int k = 0; k < TAU_SELECT_LISTS; k++)
				at->on[k] = listed(&m[i], k, at->address - info->dlpi_addr);
			break;
		}
	return 1;
}

static struct place place_of(uint64_t address)
{
	struct place at = {.address = address};

	if (table)
		module_visit(address, look, &at);
	return at;
}

bool select_keeps_out_address(uint64_t address)
{
	return place_of(address).on[TAU_LIST_OUT];
}

uint32_t select_flags_address(uint64_t address)
{
	struct place at = {.address = address};

	if (control.starting || control.stopping)
		at = place_of(address);
	return (at.on[TAU_LIST_START] ? RICH_START : 0) | (at.on[TAU_LIST_STOP] ? RICH_STOP : 0);
}
