/*
 * syscalls.c: syscall() and prctl(), in front of the C library's functions, for the program and for the recorder itself.
 *
 * Programs use them to give up what the recorder needs: system calls (seccomp, or
 * PR_SET_SYSCALL_USER_DISPATCH, by which they become signals), or the time stamp counter
 * (PR_SET_TSC), which the C library's clocks need as well. After that a call of the recorder could
 * kill the program. So recording ends first: the records are stored, and neither the process nor
 * its children make system calls or read the time for the recorder any more.
 *
 * syscall() is a jump in tail position, because some calls return on another stack, or twice.
 */
#include "record/life/syscalls.h"
#include "record/base/compiler.h"
#include "record/base/gate.h"
#include "record/event/thread_name.h"
#include "record/life/end.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH /* headers of Linux before 5.11 */
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON	     1
#endif

EXPORT int prctl(int option, ...);

static int (*prctl_next)(int, ...);

static void prctl_check(unsigned long option, unsigned long value)
{
	if (option == PR_SET_SECCOMP)
		record_no_more("the program sets a seccomp filter");
	else if (option == PR_SET_TSC && value == PR_TSC_SIGSEGV)
		record_no_more("the program disables the time stamp counter");
	else if (option == PR_SET_SYSCALL_USER_DISPATCH && value == PR_SYS_DISPATCH_ON)
		record_no_more("the program dispatches system calls itself");
}

int prctl(int option, ...)
{
	unsigned long a[4];
	va_list more;
	int result;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(more, unsigned long);
	va_end(more);
	if (tau_gate.value != GATE_STRANGER)
		prctl_check((unsigned long)option, a[0]);
	if (!prctl_next)
		result = (int)system_call(SYS_prctl, (long)option, a[0], a[1], a[2], a[3]);
	else
		result = prctl_next(option, a[0], a[1], a[2], a[3]);
	if (option == PR_SET_NAME && result == 0 && tau_gate.value != GATE_STRANGER)
		thread_renamed();
	return result;
}

#if defined(__x86_64__)
/* Until the C library's function has been found: the system call itself. */
static __attribute__((used)) void *syscall_next __asm__("syscall_next") = (void *)system_call;
static void syscall_check(long number, long first, long second) __asm__("syscall_check");

static __attribute__((used)) void syscall_check(long number, long first, long second)
{
	if (tau_gate.value == GATE_STRANGER || tau_gate.value == GATE_DEAD)
		return;
	if (number == SYS_seccomp &&
	    (first == SECCOMP_SET_MODE_STRICT || first == SECCOMP_SET_MODE_FILTER))
		record_no_more("the program sets a seccomp filter");
	else if (number == SYS_prctl)
		prctl_check((unsigned long)first, (unsigned long)second);
	else if (number == SYS_clone && first & CLONE_VM && first & CLONE_SETTLS)
		record_no_more("a task made by syscall() shares memory with threads");
}

EXPORT __attribute__((naked)) long syscall(long number __attribute__((unused)), ...)
{
	__asm__("cmpq %[seccomp], %%rdi\n\t"
		"je 1f\n\t"
		"cmpq %[prctl], %%rdi\n\t"
		"je 1f\n\t"
		"cmpq %[clone], %%rdi\n\t"
		"je 1f\n"
		"2:\tjmpq *syscall_next(%%rip)\n"
		"1:\tpushq %%rdi\n\t"
		"pushq %%rsi\n\t"
		"pushq %%rdx\n\t"
		"pushq %%rcx\n\t"
		"pushq %%r8\n\t"
		"pushq %%r9\n\t"
		"subq $8, %%rsp\n\t"
		"callq syscall_check\n\t"
		"addq $8, %%rsp\n\t"
		"popq %%r9\n\t"
		"popq %%r8\n\t"
		"popq %%rcx\n\t"
		"popq %%rdx\n\t"
		"popq %%rsi\n\t"
		"popq %%rdi\n\t"
		"jmp 2b" ::[seccomp] "i"(SYS_seccomp),
		[prctl] "i"(SYS_prctl), [clone] "i"(SYS_clone));
}

static void syscall_find(void)
{
	void *next = own_next_at_start("syscall");

	if (next)
		syscall_next = next;
}
#else
static void syscall_find(void)
{
}
#endif

void syscalls_find(void)
{
	*(void **)&prctl_next = own_next_at_start("prctl");
	syscall_find();
}
