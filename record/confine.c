/*
 * confine.c: programs that give up system calls (seccomp). One of ours could then end them, so recording ends before: what was
 * recorded is stored, and nothing is asked of the kernel any more.
 *
 * They do so by prctl() or by syscall(), which stand here in front of libc's. syscall() is a jump in tail position, because
 * what it is asked for may return on another stack, or twice.
 */
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT int prctl(int option, ...);

static int (*prctl_next)(int, ...);

static void confined(void)
{
	int saved = errno;

	track_end();
	if (tau_ending()) {
		say("the program confines itself by seccomp; recording of process %u ends here",
		    process.pid);
		tau_gate.value = GATE_DEAD;
	}
	errno = saved;
}

int prctl(int option, ...)
{
	unsigned long a[4];
	va_list more;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(more, unsigned long);
	va_end(more);
	if (option == PR_SET_SECCOMP)
		confined();
	if (!prctl_next)
		return (int)syscall(SYS_prctl, (long)option, a[0], a[1], a[2], a[3]);
	return prctl_next(option, a[0], a[1], a[2], a[3]);
}

#if defined(__x86_64__)
/* Before the next one is known, this is what it would do. */
static __attribute__((naked, used)) long syscall_itself(void)
{
	__asm__("movq %rdi, %rax\n\t"
		"movq %rsi, %rdi\n\t"
		"movq %rdx, %rsi\n\t"
		"movq %rcx, %rdx\n\t"
		"movq %r8, %r10\n\t"
		"movq %r9, %r8\n\t"
		"movq 8(%rsp), %r9\n\t"
		"syscall\n\t"
		"cmpq $-4095, %rax\n\t"
		"jae syscall_failed\n\t"
		"ret");
}

static __attribute__((used)) long syscall_failed_with(long error) __asm__("syscall_failed_with");
static long syscall_failed_with(long error)
{
	errno = (int)-error;
	return -1;
}

static __attribute__((naked, used)) void syscall_failed(void) __asm__("syscall_failed");
static void syscall_failed(void)
{
	__asm__("movq %rax, %rdi\n\t"
		"jmp syscall_failed_with");
}

static __attribute__((used)) void *syscall_next __asm__("syscall_next") = (void *)syscall_itself;
static void syscall_asked(long number, long operation) __asm__("syscall_asked");

static __attribute__((used)) void syscall_asked(long number, long operation)
{
	if (number == SYS_seccomp &&
	    (operation == SECCOMP_SET_MODE_STRICT || operation == SECCOMP_SET_MODE_FILTER))
		confined();
}

EXPORT __attribute__((naked)) long syscall(long number __attribute__((unused)), ...)
{
	__asm__("cmpq %[seccomp], %%rdi\n\t"
		"je 1f\n"
		"2:\tjmpq *syscall_next(%%rip)\n"
		"1:\tpushq %%rdi\n\t"
		"pushq %%rsi\n\t"
		"pushq %%rdx\n\t"
		"pushq %%rcx\n\t"
		"pushq %%r8\n\t"
		"pushq %%r9\n\t"
		"subq $8, %%rsp\n\t"
		"callq syscall_asked\n\t"
		"addq $8, %%rsp\n\t"
		"popq %%r9\n\t"
		"popq %%r8\n\t"
		"popq %%rcx\n\t"
		"popq %%rdx\n\t"
		"popq %%rsi\n\t"
		"popq %%rdi\n\t"
		"jmp 2b" ::[seccomp] "i"(SYS_seccomp));
}

static void syscall_find(void)
{
	void *next = dlsym(RTLD_NEXT, "syscall");

	if (next)
		syscall_next = next;
}
#else
static void syscall_find(void)
{
}
#endif

void confine_find(void)
{
	*(void **)&prctl_next = dlsym(RTLD_NEXT, "prctl");
	syscall_find();
}
