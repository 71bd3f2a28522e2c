/*
 * walk.c: walks the stack of the calling thread: by rules for the code addresses on it, each
 * derived once.
 *
 * The rule for the frame of a return address (tau_frame()) is kept in a table that all threads
 * share: 16 bytes, the address with the kind of rule, and three offsets. A step reads the rule,
 * adds an offset to the stack pointer, and reads the next return address. Stacks are read directly,
 * but never outside of the memory that holds the stack pointer.
 *
 * A walk depends on nothing but the registers that it starts with and the words that it reads from
 * the stack. So each thread keeps its last walk, with the places of these words. If the next walk
 * comes to a frame with the same registers, and finds the same words further out, it ends there.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "area.h"
#include "hints.h"
#include "own/own.h"
#include "tau.h"
#include "walk.h"

#define RULES_FIRST 4096u
#define RULES_MOST (1u << 20)
#define HOW_BITS 4 /* below the address in a rule's key: enum tau_frame_how */

struct rule {
	uint64_t key;	/* address << HOW_BITS | how; 0 = free */
	uint64_t value; /* offsets: 32 bits cfa, 16 frame pointer, 16 return address */
};

struct type_rules {
	uint32_t size, n;
	struct rule at[];
};

static struct type_rules *rules;
static int rules_lock;
static uint32_t generation = 1; /* of all that was ever worked out */

static struct type_rules *rules_new(uint32_t size)
{
	struct type_rules *r = area_map(sizeof(*r) + size * sizeof(r->at[0]));

	if (r)
		r->size = size;
	return r;
}

static inline uint32_t rule_place(const struct type_rules *r, uintptr_t pc)
{
	return (uint32_t)(pc * 0x9e3779b97f4a7c15ULL >> 32) & (r->size - 1);
}

static void rule_put(struct type_rules *r, const struct rule *rule)
{
	uint32_t i = rule_place(r, rule->key >> HOW_BITS);

	while (r->at[i].key)
		i = (i + 1) & (r->size - 1);
	r->at[i].value = rule->value;
	__atomic_store_n(&r->at[i].key, rule->key, __ATOMIC_RELEASE);
	r->n++;
}

/* The old table is left standing: another thread may be reading it. */
static void rules_grow(void)
{
	struct type_rules *bigger = rules_new(rules->size * 2);
	uint32_t i;

	if (!bigger)
		return;
	for (i = 0; i < rules->size; i++)
		if (rules->at[i].key)
			rule_put(bigger, &rules->at[i]);
	__atomic_store_n(&rules, bigger, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) struct rule rule_make(uintptr_t pc)
{
	struct tau_frame f;
	struct rule rule;
	int e = errno;

	tau_frame(pc, &f);
	if ((int16_t)f.frame_pointer != f.frame_pointer || (int16_t)f.back != f.back)
		f.how = TAU_FRAME_UNKNOWN;
	rule.key = (uint64_t)pc << HOW_BITS | f.how;
	rule.value = (uint32_t)f.cfa | (uint64_t)(uint16_t)f.frame_pointer << 32 |
		     (uint64_t)(uint16_t)f.back << 48;
	/* Another thread that is at it will not be waited for. */
	if (lock_try(&rules_lock)) {
		if (rules->n * 2 >= rules->size && rules->size < RULES_MOST)
			rules_grow();
		if (rules->n * 2 < rules->size)
			rule_put(rules, &rule);
		lock_release(&rules_lock);
	}
	errno = e;
	return rule;
}

static inline struct rule rule_get(uintptr_t pc)
{
	const struct type_rules *r = __atomic_load_n(&rules, __ATOMIC_ACQUIRE);
	uint32_t i = rule_place(r, pc);
	struct rule found;

	while ((found.key = __atomic_load_n(&r->at[i].key, __ATOMIC_ACQUIRE))) {
		if (likely(found.key >> HOW_BITS == pc)) {
			found.value = __atomic_load_n(&r->at[i].value, __ATOMIC_ACQUIRE);
			/* All may have been forgotten meanwhile, and the place be another's. */
			if (likely(__atomic_load_n(&r->at[i].key, __ATOMIC_RELAXED) == found.key))
				return found;
		}
		i = (i + 1) & (r->size - 1);
	}
	return rule_make(pc);
}

int walk_init(void)
{
	if (!rules)
		rules = rules_new(RULES_FIRST);
	return rules ? 0 : -1;
}

void walk_forget(void)
{
	uint32_t i;

	if (!rules)
		return;
	lock_acquire(&rules_lock);
	for (i = 0; i < rules->size; i++)
		if (rules->at[i].key)
			__atomic_store_n(&rules->at[i].key, 0, __ATOMIC_RELEASE);
	rules->n = 0;
	__atomic_fetch_add(&generation, 1, __ATOMIC_ACQ_REL);
	lock_release(&rules_lock);
}

void walk_unlock(void)
{
	rules_lock = 0;
}

/* ---- what of the address space is the stack ---- */

/* Hexadecimal digits up to something else. */
static uintptr_t hex(const char **p)
{
	uintptr_t v = 0;

	for (;; ++*p) {
		unsigned c = (unsigned char)**p;

		if (c - '0' < 10)
			v = v << 4 | (c - '0');
		else if ((c | 32) - 'a' < 6)
			v = v << 4 | ((c | 32) - 'a' + 10);
		else
			return v;
	}
}

/*
 * Parses a line of /proc/self/maps: "begin-end perms offset device inode   name". The C library's
 * pthread_getattr_np() is not used for a thread's stack, because it takes a lock of the thread, and
 * allocates while it holds the lock.
 */
static int line_holds(const char *line, uintptr_t sp, struct walk_range *out)
{
	struct rlimit limit;
	uintptr_t low, high, tls = thread_pointer();

	low = hex(&line);
	if (*line++ != '-')
		return 0;
	high = hex(&line);
	if (sp < low || sp >= high || line[0] != ' ' || line[1] != 'r')
		return 0;
	/* It grows to lower addresses. */
	if (strstr(line, "[stack]") && !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < high &&
	    high - limit.rlim_cur < low)
		low = high - limit.rlim_cur;
	/* The C library keeps a thread's block of thread-local storage at the end of its stack; what is above is not the stack. */
	if (tls > sp && tls < high)
		high = tls & ~(uintptr_t)7;
	*out = (struct walk_range){low, high};
	return 1;
}

/* Raw system calls: other wrappers must not take them for the program's. */
static int range_of_map(uintptr_t sp, struct walk_range *out)
{
	char buffer[1024], *end;
	size_t have = 0;
	long n, fd = system_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	int found = 0;

	if (fd < 0)
		return 0;
	while (!found) {
		char *line = buffer;

		n = system_call(SYS_read, fd, buffer + have, sizeof(buffer) - 1 - have);
		tau_own_read(n);
		if (n <= 0)
			break;
		have += (size_t)n;
		buffer[have] = 0;
		while (!found && (end = strchr(line, '\n'))) {
			*end = 0;
			found = line_holds(line, sp, out);
			line = end + 1;
		}
		have -= (size_t)(line - buffer);
		memmove(buffer, line, have);
		if (have == sizeof(buffer) - 1) /* a very long name: its line is of no use */
			have = 0;
	}
	system_call(SYS_close, fd);
	return found;
}

static __attribute__((noinline)) uintptr_t range_find(struct walk *w, uintptr_t sp)
{
	struct walk_range r;
	int e = errno, found;

	if (w->searches == WALK_SEARCHES)
		return 0;
	w->searches++;
	found = range_of_map(sp, &r);
	errno = e;
	if (!found)
		return 0;
	memmove(w->range + 1, w->range, (WALK_RANGES - 1) * sizeof(r));
	w->range[0] = r;
	return r.high;
}

/* The end of the stack that sp is on, 0: not known. */
static inline uintptr_t range_high(struct walk *w, uintptr_t sp)
{
	unsigned i;

	for (i = 0; i < WALK_RANGES; i++)
		if (likely(sp >= w->range[i].low && sp < w->range[i].high))
			return w->range[i].high;
	return range_find(w, sp);
}

/* ---- walking ---- */

/* A word on the stack. */
static inline int word_read(uintptr_t at, uintptr_t low, uintptr_t high, uintptr_t *out)
{
	if (unlikely(at < low || at > high - 8 || at & 7))
		return 0;
	*out = *(const uintptr_t *)at;
	return 1;
}

/* One step out of a frame, whose words it notes. 0: there is no caller, -1: it is not known. */
static inline int step(struct walk_frame *f, uintptr_t high, struct walk_registers *r)
{
	struct rule rule = rule_get(r->pc);
	unsigned how = rule.key & ((1u << HOW_BITS) - 1);
	intptr_t offset = (int32_t)rule.value, saved = (int16_t)(rule.value >> 32);
	uintptr_t cfa, fp = r->fp, base;

	*f = (struct walk_frame){.registers = *r};
	if (unlikely(how <= TAU_FRAME_LAST))
		return how == TAU_FRAME_LAST ? 0 : -1;
	cfa = (how <= TAU_FRAME_STACK_SAVED ? r->sp : r->fp) + (uintptr_t)offset;
	base = cfa;
	if (unlikely(how == TAU_FRAME_ALIGNED)) {
		f->end_at = cfa;
		base = r->fp;
		if (!word_read(f->end_at, r->sp, high, &cfa))
			return -1;
	}
	if (unlikely(cfa <= r->sp || cfa > high))
		return -1;
	if (how != TAU_FRAME_STACK && how != TAU_FRAME_POINTER) {
		f->fp_at = base + (uintptr_t)saved;
		if (!word_read(f->fp_at, r->sp, high, &fp))
			return -1;
	}
	f->pc_at = cfa + (uintptr_t)(intptr_t)(int16_t)(rule.value >> 48);
	if (!word_read(f->pc_at, r->sp, high, &r->pc))
		return -1;
	r->sp = cfa;
	r->fp = fp;
	return r->pc != 0;
}

static inline uintptr_t word(uintptr_t at, uintptr_t none)
{
	return at ? *(const uintptr_t *)at : none;
}

/* How many frames of the last walk, from the outermost on, still hand out what they did. Those below sp are not looked at. */
static inline int frames_hold(const struct walk *w, uintptr_t sp)
{
	const struct walk_frame *f = w->frame, *end = w->frame + w->n;

	if (!w->n || word(f->pc_at, 0))
		return 0;
	for (f++; f < end && f->registers.sp >= sp; f++) {
		const struct walk_registers *out = &f[-1].registers;

		if (*(const uintptr_t *)f->pc_at != out->pc ||
		    word(f->fp_at, out->fp) != out->fp || word(f->end_at, out->sp) != out->sp)
			break;
	}
	return (int)(f - w->frame);
}

/* The frame of the last walk at which this one is now, of the first *n; -1: none. */
static inline int join(const struct walk *w, const struct walk_registers *r, int *n)
{
	const struct walk_registers *last;

	while (*n && w->frame[*n - 1].registers.sp < r->sp)
		--*n;
	if (!*n)
		return -1;
	last = &w->frame[*n - 1].registers;
	return last->sp == r->sp && last->pc == r->pc && last->fp == r->fp ? *n - 1 : -1;
}

/* Another thread has taken over the slot. */
static void walk_adopt(struct walk *w, uintptr_t tls)
{
	memset(w->range, 0, sizeof(w->range));
	w->n = 0;
	w->searches = 0;
	w->tls = tls;
}

/* From the registers to the end, or to where the last walk may be joined: frames innermost first, to w->fresh. */
static unsigned walk_out(struct walk *w, struct walk_registers r, uintptr_t high, size_t most,
			 int *more, int *joined)
{
	int hold = frames_hold(w, r.sp);
	unsigned n = 0;

	*joined = -1;
	*more = high ? 1 : -1;
	while (*more > 0 && n < most) {
		*joined = join(w, &r, &hold);
		if (*joined >= 0)
			break;
		*more = step(&w->fresh[n++], high, &r);
	}
	return n;
}

int walk(struct walk *w, struct walk_registers r, size_t least)
{
	size_t most = least + WALK_SLACK;
	uintptr_t high;
	unsigned n, kept;
	uint32_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
	int more, joined;

	if (unlikely(w->tls != thread_pointer()))
		walk_adopt(w, thread_pointer());
	high = range_high(w, r.sp);
	if (unlikely(w->generation != now || w->high != high))
		w->n = 0;
	n = walk_out(w, r, high, most, &more, &joined);
	kept = (unsigned)(joined + 1);
	/* The last one was cut off, and less of it would be left; or more than there is room for. */
	if (unlikely(joined >= 0 && ((w->cut && n + kept < least) || n + kept > WALK_FRAMES))) {
		w->n = kept = 0;
		n = walk_out(w, r, high, most, &more, &joined);
	}
	if (joined < 0) {
		w->whole = more == 0;
		w->cut = more > 0;
	}
	w->same = n == 0 && kept == w->n;
	w->generation = now;
	w->high = high;
	for (w->n = kept; n > 0; w->n++) {
		w->frame[w->n] = w->fresh[--n];
		w->pc[w->n] = w->frame[w->n].registers.pc;
		w->hash[w->n] = stack_hash(w->n ? w->hash[w->n - 1] : (uint64_t)w->whole,
					   w->pc[w->n]);
	}
	/* A step that failed may have looked at words that are not noted. */
	if (unlikely(!w->whole && !w->cut && w->n && w->frame[0].pc_at))
		w->high = 0;
	return w->same;
}
