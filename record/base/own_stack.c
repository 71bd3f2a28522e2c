/*
 * own_stack.c: runs the recorder's rare and deep work on a stack of its own with all signals blocked.
 *
 * A hook may be called with a few hundred bytes of stack left: in a thread of PTHREAD_STACK_MIN, or in a handler on the
 * smallest sigaltstack. Sealing a chunk, defining a function or opening files needs more. Signals are blocked so that no
 * handler runs on that stack, and none leaves the work incomplete by a jump or by cancelling the thread.
 */
#include "record/base/own_stack.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/stream.h"

#define STACK_BYTES (128 * 1024)

#if defined(__x86_64__)
static __attribute__((noinline)) bool call_there(void *end, bool (*work)(void *), void *argument)
{
	bool good;

	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[end], %%rsp\n\t"
			 "callq *%[work]\n\t"
			 "movq %%rbx, %%rsp"
			 : "=a"(good), "+D"(argument), [end] "+r"(end), [work] "+r"(work)
			 :
			 : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1",
			   "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
			   "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
	return good;
}
/*
 * If the stack pointer moves to other memory, valgrind assumes that the stack grows and discards the contents between, unless the
 * new stack is registered. This instruction sequence is its request STACK_REGISTER (valgrind.h); without valgrind it has no effect.
 */
void stack_announce(void *begin, size_t bytes)
{
	volatile uint64_t request[] = {0x1501, (uintptr_t)begin, (uintptr_t)begin + bytes, 0, 0, 0};
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(request)
			 : "cc", "memory");
}
#else
static bool call_there(void *end __attribute__((unused)), bool (*work)(void *), void *argument)
{
	return work(argument);
}

void stack_announce(void *begin __attribute__((unused)), size_t bytes __attribute__((unused)))
{
}
#endif

/*
 * Stacks that no thread uses. A thread claims the first, whose pages others have used before: a stack of
 * its own would cost each thread three pages.
 */
static void *idle[16];

static void *stack_claim(void)
{
	void *p = NULL;

	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle) && !p; i++)
		if (__atomic_load_n(&idle[i], __ATOMIC_RELAXED))
			p = __atomic_exchange_n(&idle[i], NULL, __ATOMIC_ACQUIRE);
	if (p)
		return p;
	p = map_alloc(STACK_BYTES);
	if (p)
		stack_announce(p, STACK_BYTES);
	return p;
}

static void stack_release(void *p)
{
	void *none = NULL;

	for (size_t i = 0; i < sizeof(idle) / sizeof(*idle); i++, none = NULL)
		if (__atomic_compare_exchange_n(&idle[i], &none, p, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return;
	map_free(p, STACK_BYTES);
}

bool own_stack_run(struct stream *s, bool (*work)(void *argument), void *argument)
{
	sigset_t saved;
	void *stack;
	bool good;

	if (s->on_own_stack)
		return work(argument);
	signals_block(&saved);
	stack = stack_claim();
	s->on_own_stack = true;
	good = stack ? call_there((char *)stack + STACK_BYTES, work, argument) : work(argument);
	s->on_own_stack = false;
	if (stack)
		stack_release(stack);
	signals_restore(&saved);
	return good;
}
