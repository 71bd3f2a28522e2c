/*
 * select.c: excludes regions by name. tau-record has read the user's selection and made a table
 * (format.h): names for regions that have names at run time, addresses for functions with compiler
 * hooks.
 *
 * A region is looked up when it is defined, a function when a stream first sees it.
 */
#include "record/define/select.h"
#include "record/api.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/frame.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/define/module.h"
#include "record/define/select_request.h"
#include "record/encode/deflate.h"
#include "record/format.h"
#include "record/requests.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct tau_select_header *table; /* NULL: nothing is excluded from the start */

/* Tables of commands during the run, in their order: the last one that matches a region decides. */
static const struct tau_select_header *change[TAU_COMMANDS_MOST];
static uint32_t change_n;

static const void *at(const struct tau_select_header *h, uint64_t offset)
{
	return (const uint8_t *)h + offset;
}

static bool inside(const struct tau_select_header *h, uint64_t at, uint64_t n)
{
	return at <= h->size && n <= h->size - at;
}

static bool module_good(const struct tau_select_header *h, const struct tau_select_module *m)
{
	if (!inside(h, m->id, m->id_n) || !inside(h, m->path, m->path_n))
		return false;
	for (int i = 0; i < TAU_SELECT_LISTS; i++)
		if (m->address[i] % 8 || m->address_n[i] > h->size / 8 ||
		    !inside(h, m->address[i], m->address_n[i] * 8))
			return false;
	return true;
}

/* Checks everything that later look-ups rely on. */
static bool table_good(const struct tau_select_header *h, uint64_t size)
{
	const struct tau_select_module *m = (const void *)(h + 1);
	const struct tau_select_pattern *p;

	if (size < sizeof(*h) || memcmp(h->magic, TAU_SELECT_MAGIC, 8) != 0 || h->size != size ||
	    h->crc != codec_crc(h + 1, size - sizeof(*h)))
		return false;
	if (!inside(h, sizeof(*h),
		    h->modules * (uint64_t)sizeof(*m) + h->patterns * (uint64_t)sizeof(*p)))
		return false;
	p = (const void *)(m + h->modules);
	for (uint32_t i = 0; i < h->modules; i++)
		if (!module_good(h, &m[i]))
			return false;
	for (uint32_t i = 0; i < h->patterns; i++)
		if (!inside(h, p[i].text, p[i].length) || p[i].kind >= TAU_SELECT_KINDS)
			return false;
	return true;
}

static const struct tau_select_pattern *patterns(const struct tau_select_header *h)
{
	const struct tau_select_module *m = (const void *)(h + 1);

	return (const void *)(m + h->modules);
}

/* NULL: it cannot be used. */
static const struct tau_select_header *load(const char *path)
{
	uint64_t size = 0;
	int fd = file_own(path, O_RDONLY, &size);
	void *p;

	if (fd < 0) {
		message_print("%s: cannot be read; what is excluded stays as it is", path);
		return NULL;
	}
	p = map_at(size, PROT_READ, MAP_PRIVATE, fd, 0);
	file_close(fd);
	if (p != MAP_FAILED && table_good(p, size))
		return p;
	message_print("%s: is damaged; what is excluded stays as it is", path);
	if (p != MAP_FAILED)
		munmap(p, size);
	return NULL;
}

void select_start(void)
{
	const char *path = getenv("TAU_RECORD_SELECT");

	if (!path || !*path)
		return;
	table = load(path);
	select_request_start(path);
	process.groups_touched |= table && table->patterns;
	process.picks |= table != NULL;
}

bool select_change(uint64_t number)
{
	char path[SELECT_PATH];
	const struct tau_select_header *h;

	h = change_n < TAU_COMMANDS_MOST ? load(select_path(number, path)) : NULL;
	if (!h || !h->patterns)
		return false;
	change[change_n] = h;
	__atomic_store_n(&change_n, change_n + 1, __ATOMIC_RELEASE);
	process.groups_touched = true;
	return true;
}

/* A table of a command has one pattern. */
static bool change_excludes(const struct tau_select_header *h)
{
	return patterns(h)->kind == TAU_SELECT_NOW_EXCLUDE;
}

/* ---- by name ---- */

/* mark: the character that matches any characters; one: the character that matches one character, 0: none. */
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

/* Length of the text before the first of the characters in `stop`. */
static size_t length_before(const char *text, size_t n, const char *stop)
{
	for (size_t i = 0; i < n; i++)
		if (strchr(stop, text[i]))
			return i;
	return n;
}

static bool pattern_fits(const struct tau_select_header *h, const struct tau_select_pattern *p,
			 const char *name, size_t name_n, const char *file, size_t file_n)
{
	const char *text = at(h, p->text);

	if (p->kind == TAU_SELECT_FILE_EXCLUDE || p->kind == TAU_SELECT_FILE_INCLUDE)
		return matches(text, p->length, file, file_n, '*', '?');
	return matches(text, p->length, name, name_n, '#', 0) ||
	       matches(text, p->length, name, length_before(name, name_n, "(.["), '#', 0);
}

bool select_keeps_out(const char *name, size_t name_n, const char *file, size_t file_n)
{
	const struct tau_select_header *h = table;
	const struct tau_select_pattern *p = h ? patterns(h) : NULL;
	bool hit[TAU_SELECT_KINDS] = {false}, any[TAU_SELECT_KINDS] = {false};

	for (uint32_t i = 0; p && i < h->patterns; i++) {
		any[p[i].kind] = true;
		hit[p[i].kind] |= pattern_fits(h, &p[i], name, name_n, file, file_n);
	}
	if (hit[TAU_SELECT_START] || hit[TAU_SELECT_STOP])
		return false;
	for (uint32_t i = __atomic_load_n(&change_n, __ATOMIC_ACQUIRE); i; i--)
		if (pattern_fits(change[i - 1], patterns(change[i - 1]), name, name_n, "", 0))
			return change_excludes(change[i - 1]);
	if (hit[TAU_SELECT_EXCLUDE] || (any[TAU_SELECT_INCLUDE] && !hit[TAU_SELECT_INCLUDE]))
		return true;
	return file_n && (hit[TAU_SELECT_FILE_EXCLUDE] ||
			  (any[TAU_SELECT_FILE_INCLUDE] && !hit[TAU_SELECT_FILE_INCLUDE]));
}

uint32_t select_flags(const char *name, size_t name_n)
{
	const struct tau_select_header *h = table;
	const struct tau_select_pattern *p = h ? patterns(h) : NULL;
	uint32_t flags = 0;

	for (uint32_t i = 0; p && i < h->patterns; i++) {
		if (p[i].kind == TAU_SELECT_START && pattern_fits(h, &p[i], name, name_n, "", 0))
			flags |= FILTERED_START;
		if (p[i].kind == TAU_SELECT_STOP && pattern_fits(h, &p[i], name, name_n, "", 0))
			flags |= FILTERED_STOP;
	}
	return flags;
}

/* ---- by address ---- */

struct select_place {
	const struct tau_select_header *head;
	uint64_t address;
	bool on[TAU_SELECT_LISTS];
};

/* A module of the process. */
struct select_module {
	uint8_t id[64];
	size_t id_n;
	char path[4096];
};

static void module_get(struct select_module *m, const struct dl_phdr_info *info, uint64_t address)
{
	m->id_n = build_id(info, m->id);
	module_file(info, address, m->path);
}

static bool same_module(const struct tau_select_header *h, const struct tau_select_module *m,
			const struct select_module *here)
{
	if (m->id_n || here->id_n)
		return m->id_n == here->id_n && !memcmp(at(h, m->id), here->id, here->id_n);
	return m->path_n && m->path_n == strlen(here->path) &&
	       !memcmp(here->path, at(h, m->path), m->path_n);
}

/* Tables of modules that are not in `table`. NULL: tau-record did not answer. */
static struct more {
	uint64_t number;
	const struct tau_select_header *head;
} more[256];
static uint32_t more_n;

static const struct tau_select_header *more_get(const struct select_module *m)
{
	uint64_t number = select_request_number(m->path, m->id, m->id_n);
	uint32_t n = __atomic_load_n(&more_n, __ATOMIC_ACQUIRE);
	const struct tau_select_header *head;
	char path[SELECT_PATH];
	sigset_t saved;

	for (uint32_t i = 0; i < n; i++)
		if (more[i].number == number)
			return more[i].head;
	head = select_request(number, m->path) ? load(select_path(number, path)) : NULL;
	lock_acquire(&saved);
	n = more_n;
	if (n < sizeof(more) / sizeof(*more)) {
		more[n] = (struct more){number, head};
		__atomic_store_n(&more_n, n + 1, __ATOMIC_RELEASE);
	}
	lock_release(&saved);
	return head;
}

static bool listed(const struct tau_select_header *h, const struct tau_select_module *m,
		   enum tau_select_list list, uint64_t address)
{
	const uint64_t *v = at(h, m->address[list]);
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

static bool place_find(struct select_place *to, const struct tau_select_header *h,
		       const struct select_module *here, uint64_t address)
{
	const struct tau_select_module *m = (const void *)(h + 1);

	for (uint32_t i = 0; i < h->modules; i++)
		if (same_module(h, &m[i], here)) {
			for (int k = 0; k < TAU_SELECT_LISTS; k++)
				to->on[k] = listed(h, &m[i], k, address);
			return true;
		}
	return false;
}

static int look(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *arg)
{
	struct select_place *to = arg;
	uint64_t address = to->address - info->dlpi_addr;
	const struct tau_select_header *asked;
	struct select_module here;
	bool inside = false;

	for (int i = 0; i < info->dlpi_phnum && !inside; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		inside = h->p_type == PT_LOAD && address - h->p_vaddr < h->p_memsz;
	}
	if (!inside)
		return 0;
	to->on[TAU_LIST_OUT] = to->head->flags & TAU_SELECT_UNKNOWN;
	module_get(&here, info, to->address);
	if (!place_find(to, to->head, &here, address) && to->head == table) {
		asked = more_get(&here);
		if (asked)
			place_find(to, asked, &here, address);
	}
	return 1;
}

static struct select_place place_of(const struct tau_select_header *h, uint64_t address)
{
	struct select_place at = {.head = h, .address = address};

	if (at.head)
		module_visit(address, look, &at);
	return at;
}

bool select_keeps_out_address(uint64_t address)
{
	struct select_place from_start = place_of(table, address);

	if (from_start.on[TAU_LIST_START] || from_start.on[TAU_LIST_STOP])
		return false;
	for (uint32_t i = __atomic_load_n(&change_n, __ATOMIC_ACQUIRE); i; i--)
		if (place_of(change[i - 1], address).on[TAU_LIST_OUT])
			return change_excludes(change[i - 1]);
	return from_start.on[TAU_LIST_OUT];
}

bool select_patches(uint64_t function)
{
	struct select_place at = place_of(table, function);

	return at.on[TAU_LIST_PATCH] && !at.on[TAU_LIST_OUT];
}

uint32_t select_flags_address(uint64_t address)
{
	struct select_place at = {.address = address};

	if (control.starting || control.stopping)
		at = place_of(table, address);
	return (at.on[TAU_LIST_START] ? FILTERED_START : 0) |
	       (at.on[TAU_LIST_STOP] ? FILTERED_STOP : 0);
}
