/*
 * unload.c: libraries that are unloaded. Another library may be loaded at the same addresses, so the streams forget the functions
 * there: the next call of one defines it anew, under the name that it has then.
 *
 * The program's calls of dlclose() come here; it compares the loader's lists before and after.
 */
#include "record/base/compiler.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/define/define.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

EXPORT int dlclose(void *handle);

struct unloaded_range {
	uint64_t begin, end;
	bool there;
};

#define RANGES_FEW 128	/* most programs have fewer modules: these need no memory of their own */

struct unloaded_ranges {
	struct unloaded_range *v;
	size_t n, cap;
	size_t next;	/* the loader's list has an order: where the next module is expected */
	struct unloaded_range few[RANGES_FEW];
	unsigned long long unloaded;	/* the loader's count of modules unloaded so far */
};

static bool range_of(const struct dl_phdr_info *info, struct unloaded_range *r)
{
	*r = (struct unloaded_range){UINT64_MAX, 0, false};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		r->begin = at < r->begin ? at : r->begin;
		r->end = at + h->p_memsz > r->end ? at + h->p_memsz : r->end;
	}
	return r->begin < r->end;
}

static int add(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *arg)
{
	struct unloaded_ranges *all = arg;
	struct unloaded_range r;

	all->unloaded = info->dlpi_subs;
	if (!range_of(info, &r))
		return 0;
	if (all->n == (all->cap ? all->cap : RANGES_FEW)) {
		bool few = all->v == all->few;
		struct unloaded_range *p =
			map_grow(few ? NULL : all->v, &all->cap, sizeof(r), all->n + 1);

		if (!p)
			return 1;
		if (few)
			memcpy(p, all->few, sizeof(all->few));
		all->v = p;
	}
	all->v[all->n++] = r;
	return 0;
}

/* Marks the modules that are still loaded. Ends at once if none was unloaded. */
static int strike(struct dl_phdr_info *info, size_t size __attribute__((unused)), void *arg)
{
	struct unloaded_ranges *all = arg;
	struct unloaded_range r;

	if (info->dlpi_subs == all->unloaded)
		return 1;
	if (!range_of(info, &r))
		return 0;
	for (size_t k = 0; k < all->n; k++) {
		size_t i = (all->next + k) % all->n;

		if (all->v[i].begin == r.begin && all->v[i].end == r.end) {
			all->v[i].there = true;
			all->next = i + 1;
			break;
		}
	}
	return 0;
}

/* Keeps those that were unloaded. */
static void left_drop(struct unloaded_ranges *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (!all->v[i].there)
			all->v[n++] = all->v[i];
	all->n = n;
}

static bool gone(const struct unloaded_ranges *all, uint64_t address)
{
	for (size_t i = 0; i < all->n; i++)
		if (address >= all->v[i].begin && address < all->v[i].end)
			return true;
	return false;
}

/* Another module at its addresses is not the same: samples before it are in chunks before it (module.c). */
static void module_gone(struct stream *s, uint64_t *module)
{
	bool none = s->gone_begin == s->gone_end;

	s->gone_begin = none || module[0] < s->gone_begin ? module[0] : s->gone_begin;
	s->gone_end = none || module[1] > s->gone_end ? module[1] : s->gone_end;
	module[0] = module[1] = 0;
}

static bool is_gone(const void *all, uint64_t address)
{
	return gone(all, address);
}

/* The lock is held: no stream's tables move. Their threads may be looking up other functions in them. */
static void forget(const struct unloaded_ranges *all)
{
	sigset_t saved;

	__atomic_add_fetch(&process.unloaded, 1, __ATOMIC_RELAXED);
	lock_acquire(&saved);
	for (struct stream *s = process.streams; s; s = s->next) {
		for (size_t i = 0; s->slots && i <= s->slots[-1]; i++)
			if (s->slots[i] && gone(all, SLOT_ADDRESS(s->slots[i])))
				s->slots[i] = SLOT_GONE;
		for (size_t i = 0; i < s->module_n; i++)
			if (s->module[2 * i + 1] && gone(all, s->module[2 * i]))
				module_gone(s, &s->module[2 * i]);
	}
	lock_release(&saved);
	definitions_forget(is_gone, all);
}

int dlclose(void *handle)
{
	static int (*real)(void *);
	struct unloaded_ranges before;
	int saved, result;

	if (!real)
		*(void **)&real = own_next_at_start("dlclose");
	if (tau_gate.value == GATE_DEAD || !process.streams)
		return real(handle);
	saved = errno;
	before.v = before.few;
	before.n = before.cap = before.next = 0;
	dl_iterate_phdr(add, &before);
	errno = saved;
	result = real(handle);
	saved = errno;
	if (before.n && !dl_iterate_phdr(strike, &before)) {
		left_drop(&before);
		forget(&before);
	}
	if (before.cap)
		map_free(before.v, before.cap * sizeof(*before.v));
	errno = saved;
	return result;
}
