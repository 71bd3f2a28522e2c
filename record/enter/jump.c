/*
 * jump.c: replaces the functions of libc and of the C++ runtime by which control leaves functions without returning, or
 * moves to another stack. Each ends the frames that are left and then calls the function that it replaces.
 *
 * The stack pointer that a jump goes to is read from its buffer, where glibc stores it XORed with a guard, on
 * x86-64 rotated, too; on machines other than these and aarch64 these functions only call the original ones.
 */
#include "record/enter/jump.h"
#include "record/api.h"
#include "record/base/compiler.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/memory_map.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/enter/fold.h"
#include "record/enter/frames_room.h"
#include "record/enter/on_off.h"
#include "record/enter/repair.h"
#include "record/metric/metric.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>

/* The thread sanitizer keeps a list of the functions a thread is in; these would never be removed from it. */
#define NORETURN __attribute__((noreturn, no_sanitize("thread")))

typedef void jump_function(struct __jmp_buf_tag env[1], int value);

EXPORT NORETURN jump_function longjmp, _longjmp, siglongjmp, __longjmp_chk;
EXPORT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to);
EXPORT int setcontext(const ucontext_t *to);
EXPORT void *__cxa_begin_catch(void *exception);

enum {
	LONGJMP,
	_LONGJMP,
	SIGLONGJMP,
	LONGJMP_CHK,
	SWAPCONTEXT,
	SETCONTEXT,
	BEGIN_CATCH,
	FUNCTIONS
};
static const char *const name[FUNCTIONS] = {
	"longjmp",     "_longjmp",   "siglongjmp", "__longjmp_chk",
	"swapcontext", "setcontext", "__cxa_begin_catch",
};
static void *real[FUNCTIONS];

/* At the start, because these functions may be called in places where dlsym() may not. */
void jumps_find(void)
{
	for (int i = 0; i < FUNCTIONS; i++)
		real[i] = own_next_at_start(name[i]);
}

static void *find(int i)
{
	if (unlikely(!real[i]))
		real[i] = own_next_at_start(name[i]);
	return real[i];
}

#if defined(__x86_64__)
static uint64_t jump_sp(const struct __jmp_buf_tag *env)
{
	uint64_t sp = (uint64_t)env->__jmpbuf[6];

	__asm__("rorq $17, %0\n\txorq %%fs:0x30, %0" : "+r"(sp));
	return sp;
}

static uint64_t context_sp(const ucontext_t *c)
{
	return (uint64_t)c->uc_mcontext.gregs[REG_RSP];
}
#elif defined(__aarch64__)
/* The guard is that of the process: what sigsetjmp() stores here, which is called with this stack pointer. */
static uint64_t jump_sp(const struct __jmp_buf_tag *env)
{
	enum { SP = 13 };
	sigjmp_buf own;
	uint64_t here;

	__asm__ volatile("mov %0, sp" : "=r"(here));
	if (sigsetjmp(own, 0))
		return 0;
	return (uint64_t)env->__jmpbuf[SP] ^ (uint64_t)own->__jmpbuf[SP] ^ here;
}

static uint64_t context_sp(const ucontext_t *c)
{
	return c->uc_mcontext.sp;
}
#else
static uint64_t jump_sp(const struct __jmp_buf_tag *env __attribute__((unused)))
{
	return 0;
}

static uint64_t context_sp(const ucontext_t *c __attribute__((unused)))
{
	return 0;
}
#endif

/* ---- longjmp and its kin ---- */

static NORETURN void jump(int i, struct __jmp_buf_tag *env, int value, uint64_t here)
{
	if (thread_recording()) {
		int saved = errno;

		stack_unwind(here, jump_sp(env));
		errno = saved;
	}
	((jump_function *)find(i))(env, value);
	__builtin_unreachable();
}

#define JUMP(function, i)						\
	void function(struct __jmp_buf_tag env[1], int value)		\
	{								\
		jump(i, env, value, sp_of_caller());			\
	}
JUMP(longjmp, LONGJMP)
JUMP(_longjmp, _LONGJMP)
JUMP(siglongjmp, SIGLONGJMP)
JUMP(__longjmp_chk, LONGJMP_CHK)

/* ---- exceptions ---- */

/*
 * A C++ runtime loaded by dlopen(RTLD_LOCAL) is not found after us in the global search order but among the dependencies
 * of the library that uses it: each such library may have its own.
 */
static void *find_for(uint64_t caller)
{
	return own_of_code((const void *)caller, name[BEGIN_CATCH]);
}

void *__cxa_begin_catch(void *exception)
{
	void *function = find(BEGIN_CATCH);

	if (unlikely(!function))
		function = find_for((uint64_t)__builtin_return_address(0));
	if (thread_recording()) {
		int saved = errno;

		stack_unwind(0, sp_of_caller());
		errno = saved;
	}
	return ((void *(*)(void *))function)(exception);
}

/* ---- coroutines ---- */

/* The frames of a context that is not running. */
struct kept {
	struct frame frame;
	uint32_t depth;
	bool recorded, starts;
};
struct context {
	struct kept *kept;
	size_t n, mapped;
	struct kept few[10];
};

static __attribute__((noinline)) bool context_save(struct context *c)
{
	struct stream *s = self.stream;
	int ready = self.ready;

	if (!thread_recording() || ready == READY_BUSY)
		return false;
	c->n = (size_t)(self.top - s->frames);
	c->mapped = 0;
	c->kept = c->few;
	if (c->n > sizeof(c->few) / sizeof(*c->few)) {
		c->mapped = c->n * sizeof(*c->kept);
		c->kept = map_alloc(c->mapped);
		if (!c->kept)
			return false;
	}
	self.ready = READY_BUSY;
	barrier();
	fold_write_all();
	for (size_t i = 0; i < c->n; i++) {
		const struct filtered_frame *r = s->filtered ? &s->filtered[i] : NULL;

		c->kept[i] = (struct kept){s->frames[i], r ? r->depth : 0, !r || r->recorded,
					   r && r->starts};
	}
	self.top = s->frames;
	/* The other context begins without open regions. */
	if (c->n && ready == READY_OPEN && GATE_RECORDS(tau_gate.value))
		record_on(s->frames + c->n);
	barrier();
	self.ready = ready;
	return true;
}

/* Restores a context, possibly in another thread than the one that saved it. */
static __attribute__((noinline)) void context_restore(struct context *c)
{
	struct stream *s = self.stream;
	int ready = self.ready;

	if (thread_recording() && ready != READY_BUSY) {
		self.ready = READY_BUSY;
		barrier();
		fold_write_all();
		if (ready == READY_OPEN && GATE_RECORDS(tau_gate.value) && self.top != s->frames) {
			struct frame *seen = self.top;

			self.top = s->frames;
			record_on(seen);
			self.ready = READY_BUSY;
		}
		self.top = s->frames;
		for (size_t i = 0; frames_room(c->n) && i < c->n; i++) {
			*self.top++ = c->kept[i].frame;
			if (s->filtered)
				s->filtered[i] =
					(struct filtered_frame){.recorded = c->kept[i].recorded,
								.starts = c->kept[i].starts,
								.depth = c->kept[i].depth};
			if (process.metrics)
				metric_entered(i);
		}
		if (ready == READY_OPEN && GATE_RECORDS(tau_gate.value))
			record_on(s->frames);
		barrier();
		self.ready = ready;
	}
	if (c->mapped)
		map_free(c->kept, c->mapped);
}

typedef int swap_function(ucontext_t *, const ucontext_t *);

static __attribute__((noinline)) int swap_stacks(ucontext_t *from, const ucontext_t *to)
{
	struct context c;
	int saved = errno, result;
	bool have = context_save(&c);

	errno = saved;
	result = ((swap_function *)find(SWAPCONTEXT))(from, to);
	saved = errno;
	if (have)
		context_restore(&c);
	errno = saved;
	return result;
}

/* Does sp belong to the stack that the caller, at `here`, runs on? The stack extends at least to its outermost frame. */
static bool same_stack(uint64_t here, uint64_t sp)
{
	uint64_t outermost = here + 1024;

	for (const struct frame *f = self.stream->frames; f < self.top; f++)
		if (f->sp != SP_NONE && f->sp > outermost) {
			outermost = f->sp;
			break;
		}
	return sp >= here && sp <= outermost;
}

/*
 * A context on another stack gets its own stack of frames; every return to this context, however made, returns to
 * swap_stacks(). If both contexts are on one stack, the other may overwrite our data there, so none may be there.
 */
int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to)
{
	uint64_t here = sp_of_caller(), sp = context_sp(to);

	if (!thread_recording())
		return ((swap_function *)find(SWAPCONTEXT))(from, to);
	if (sp && !same_stack(here, sp))
		return swap_stacks(from, to);
	stack_unwind(here, sp);
	return ((swap_function *)find(SWAPCONTEXT))(from, to);
}

int setcontext(const ucontext_t *to)
{
	if (thread_recording())
		stack_unwind(sp_of_caller(), context_sp(to));
	return ((int (*)(const ucontext_t *))find(SETCONTEXT))(to);
}
