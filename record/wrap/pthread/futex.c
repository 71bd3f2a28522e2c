/*
 * futex.c: waits for a futex by syscall(), as atomic::wait(), latches, semaphores and barriers of
 * C++ have them, and locks of Rust.
 *
 * The entry is written in assembly, for x86-64 and aarch64, because the child of a vfork or clone by
 * syscall() returns on the stack of its parent: every other call is a jump to the real syscall(), with
 * all registers and the stack unchanged. On other processors these waits are not recorded.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "wrap/locks/lock_record.h"
#include "own/own.h"
#include "tau.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define HIDDEN __attribute__((visibility("hidden"), used))

typedef long (*call)(long number, uintptr_t address, long operation, long value, long until,
		     long other, long more);

HIDDEN call futex_real; /* NULL: not found so far */

HIDDEN void futex_find(void);
HIDDEN long futex_call(long number, uintptr_t address, long operation, long value, long until,
		       long other, long more);

/* The C library's; the system call itself where that has none. */
void futex_find(void)
{
	void *real = own_next("syscall");

	if (!real)
		real = (void *)system_call;
	__atomic_store_n((void **)&futex_real, real, __ATOMIC_RELAXED);
}

/* Before a child without our thread-local storage can be here: finding it needs that. */
__attribute__((constructor)) static void futex_begin(void)
{
	futex_find();
}

static uint32_t region_get(void)
{
	static uint32_t region;
	uint32_t r = __atomic_load_n(&region, __ATOMIC_RELAXED);

	if (!r) {
		r = tau_region("futex wait", "PTHREAD", NULL, 0);
		__atomic_store_n(&region, r, __ATOMIC_RELAXED);
	}
	return r;
}

/* SYS_futex. errno is, for the program, what the real function left. */
long futex_call(long number, uintptr_t address, long operation, long value, long until, long other,
		long more)
{
	int what = (int)operation & FUTEX_CMD_MASK, saved;
	uint32_t region;
	long ret;

	if ((what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) || tau_stranger() || !tau_active() ||
	    tau_inside())
		return futex_real(number, address, operation, value, until, other, more);
	saved = errno;
	region = region_get();
	if (!tau_call(region)) {
		errno = saved;
		return futex_real(number, address, operation, value, until, other, more);
	}
	lock_record("atomic variable", (const void *)address, HOLDER_NONE,
		    __builtin_return_address(0));
	errno = saved;
	ret = futex_real(number, address, operation, value, until, other, more);
	saved = errno;
	tau_leave(region);
	errno = saved;
	return ret;
}

#endif

#if defined(__x86_64__)
_Static_assert(SYS_futex == 202, "the number in the code below");
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	".cfi_startproc\n"
	"	endbr64\n"
	"	cmpq $0, futex_real(%rip)\n"
	"	je 1f\n"
	"2:	cmpq $202, %rdi\n"
	"	je futex_call\n"
	"	jmp *futex_real(%rip)\n"
	"1:	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rcx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r8\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %r9\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call futex_find\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r9\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %r8\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rcx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp 2b\n"
	".cfi_endproc\n"
	".size syscall, .-syscall\n");
#elif defined(__aarch64__)
_Static_assert(SYS_futex == 98, "the number in the code below");
__asm__(".text\n"
	".globl syscall\n"
	".type syscall, %function\n"
	"syscall:\n"
	".cfi_startproc\n"
	"	hint #34\n"
	"	adrp x16, futex_real\n"
	"	ldr x16, [x16, :lo12:futex_real]\n"
	"	cbz x16, 1f\n"
	"2:	cmp x0, #98\n"
	"	b.eq 3f\n"
	"	br x16\n"
	"3:	b futex_call\n"
	"1:	stp x29, x30, [sp, #-80]!\n"
	"	.cfi_def_cfa_offset 80\n"
	"	.cfi_offset x29, -80\n"
	"	.cfi_offset x30, -72\n"
	"	stp x0, x1, [sp, #16]\n"
	"	stp x2, x3, [sp, #32]\n"
	"	stp x4, x5, [sp, #48]\n"
	"	str x6, [sp, #64]\n"
	"	bl futex_find\n"
	"	ldp x0, x1, [sp, #16]\n"
	"	ldp x2, x3, [sp, #32]\n"
	"	ldp x4, x5, [sp, #48]\n"
	"	ldr x6, [sp, #64]\n"
	"	ldp x29, x30, [sp], #80\n"
	"	.cfi_restore x29\n"
	"	.cfi_restore x30\n"
	"	.cfi_def_cfa_offset 0\n"
	"	adrp x16, futex_real\n"
	"	ldr x16, [x16, :lo12:futex_real]\n"
	"	b 2b\n"
	".cfi_endproc\n"
	".size syscall, .-syscall\n");
#endif
