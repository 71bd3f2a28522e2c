/*
 * vfork.c: vfork and dlopen, which no function in C can wrap: the child of vfork returns from it
 * before the parent does, on the same stack, and dlopen uses its return address to find the calling
 * library. Both entries are therefore written in assembly, for x86-64 and aarch64; on other processors
 * they are not recorded.
 *
 * vfork: the return address is kept in memory that the child cannot overwrite, a stack of its own per
 * thread, and the real vfork is called with the caller's stack pointer. It returns twice, each time to
 * its caller.
 *
 * dlopen: a sample is recorded, then the real dlopen is jumped to with the stack unchanged. So the
 * call is counted, as "Libraries opened" with the file's name, and its time belongs to the caller.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "own/own.h"
#include "process.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define DEPTH  16 /* children of vfork that call vfork ... */
#define HIDDEN __attribute__((visibility("hidden"), used))

struct vfork_place {
	uintptr_t address,
		stack; /* where the call returns to, and what the stack pointer is then */
	long pid;      /* who called */
	int on;
};
static __thread struct vfork_place places[DEPTH];
static __thread int depth;

HIDDEN void *process_vfork_enter(uintptr_t address, uintptr_t stack);
HIDDEN uintptr_t process_vfork_leave(long result, uintptr_t stack);
HIDDEN void *process_vfork_real(void);

void *process_vfork_real(void)
{
	return wrap_real(&wrap_table[WRAP_vfork]);
}

/* The real vfork, or NULL: jump to it, there is no room to come back. */
void *process_vfork_enter(uintptr_t address, uintptr_t stack)
{
	struct wrap_function *f = &wrap_table[WRAP_vfork];
	long pid;

	if (tau_stranger() || depth == DEPTH)
		return NULL;
	pid = system_call(SYS_getpid);
	places[depth++] = (struct vfork_place){address, stack, pid, wrap_begin(f)};
	return wrap_real(f);
}

/* Where to go on. The child leaves the place to its parent, who also clears those of children that
 * were killed. */
uintptr_t process_vfork_leave(long result, uintptr_t stack)
{
	struct wrap_function *f = &wrap_table[WRAP_vfork];
	int saved = errno;
	struct vfork_place *p;
	long pid;

	if (result == 0)
		return places[depth - 1].address;
	pid = system_call(SYS_getpid);
	do {
		p = &places[--depth];
	} while (depth > 0 && (p->pid != pid || p->stack != stack));
	if (p->on)
		wrap_end(f, saved);
	errno = saved;
	return p->address;
}

#endif

#if defined(__x86_64__)
/* A shadow stack would notice what is done here: where there is one, the real function is jumped
 * to. */
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	xorl %eax, %eax\n"
	"	rdsspq %rax\n"
	"	testq %rax, %rax\n"
	"	jnz 1f\n"
	"	movq (%rsp), %rdi\n"
	"	leaq 8(%rsp), %rsi\n"
	"	subq $8, %rsp\n"
	"	call process_vfork_enter\n"
	"	addq $8, %rsp\n"
	"	testq %rax, %rax\n"
	"	jz 1f\n"
	"	addq $8, %rsp\n"
	"	call *%rax\n"
	"	pushq %rax\n"
	"	subq $8, %rsp\n"
	"	movq %rax, %rdi\n"
	"	leaq 16(%rsp), %rsi\n"
	"	call process_vfork_leave\n"
	"	movq %rax, %rcx\n"
	"	addq $8, %rsp\n"
	"	popq %rax\n"
	"	jmp *%rcx\n"
	"1:	subq $8, %rsp\n"
	"	call process_vfork_real\n"
	"	addq $8, %rsp\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n");
#elif defined(__aarch64__)
/* Each ret goes where its bl came from: a shadow stack agrees with that. */
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, %function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	hint #34\n" /* bti c */
	"	mov x0, x30\n"
	"	mov x1, sp\n"
	"	str x30, [sp, #-16]!\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	.cfi_rel_offset x30, 0\n"
	"	bl process_vfork_enter\n"
	"	ldr x30, [sp], #16\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	.cfi_restore x30\n"
	"	cbz x0, 1f\n"
	"	.cfi_remember_state\n"
	"	.cfi_undefined x30\n"
	"	blr x0\n"
	"	str x0, [sp, #-16]!\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	add x1, sp, #16\n"
	"	bl process_vfork_leave\n"
	"	mov x30, x0\n"
	"	ldr x0, [sp], #16\n"
	"	ret\n"
	"1:	.cfi_restore_state\n"
	"	str x30, [sp, #-16]!\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	.cfi_rel_offset x30, 0\n"
	"	bl process_vfork_real\n"
	"	ldr x30, [sp], #16\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	.cfi_restore x30\n"
	"	mov x16, x0\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n");
#endif

/* ---- dlopen ---- */

#if defined(__x86_64__) || defined(__aarch64__)

__attribute__((visibility("hidden"), used)) void *process_dlopen(const char *file, int flags);

/* Returns the real dlopen. */
void *process_dlopen(const char *file, int flags)
{
	static uint32_t all;
	char name[1024];
	int saved;

	(void)flags;
	if (tau_stranger())
		return wrap_real(&wrap_table[WRAP_dlopen]);
	saved = errno;
	if (file && *file && tau_active() && !tau_inside()) {
		if (!all)
			all = tau_event("Libraries opened", 2);
		snprintf(name, sizeof(name), "Libraries opened <file=\"%.900s\">", file);
		tau_trigger(all, 1);
		tau_trigger(tau_event(name, 2), 1);
	}
	errno = saved;
	return wrap_real(&wrap_table[WRAP_dlopen]);
}

#endif

#if defined(__x86_64__)
__asm__(".text\n"
	".globl dlopen\n"
	".type dlopen, @function\n"
	"dlopen:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq %rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call process_dlopen\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size dlopen, .-dlopen\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl dlopen\n"
	".type dlopen, %function\n"
	"dlopen:\n"
	"	.cfi_startproc\n"
	"	hint #34\n" /* bti c */
	"	stp x0, x1, [sp, #-32]!\n"
	"	.cfi_adjust_cfa_offset 32\n"
	"	str x30, [sp, #16]\n"
	"	.cfi_rel_offset x30, 16\n"
	"	bl process_dlopen\n"
	"	mov x16, x0\n"
	"	ldr x30, [sp, #16]\n"
	"	.cfi_restore x30\n"
	"	ldp x0, x1, [sp], #32\n"
	"	.cfi_adjust_cfa_offset -32\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size dlopen, .-dlopen\n");
#endif
