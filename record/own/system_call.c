/*
 * system_call.c: system calls.
 */
#include "record/own/own.h"

#include <errno.h>

#if defined(__x86_64__) || defined(__aarch64__)
long own_call_failed(long error) __attribute__((visibility("hidden")));

long own_call_failed(long error)
{
	errno = (int)-error;
	return -1;
}
#endif

#if defined(__x86_64__)
__asm__(".text\n"
	".globl system_call\n"
	".hidden system_call\n"
	".type system_call, @function\n"
	"system_call:\n"
	".cfi_startproc\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	syscall\n"
	"	cmpq $-4095, %rax\n"
	"	jae 1f\n"
	"	ret\n"
	"1:	movq %rax, %rdi\n"
	"	jmp own_call_failed\n"
	".cfi_endproc\n"
	".size system_call, .-system_call\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl system_call\n"
	".hidden system_call\n"
	".type system_call, %function\n"
	"system_call:\n"
	".cfi_startproc\n"
	"	mov x8, x0\n"
	"	mov x0, x1\n"
	"	mov x1, x2\n"
	"	mov x2, x3\n"
	"	mov x3, x4\n"
	"	mov x4, x5\n"
	"	mov x5, x6\n"
	"	svc #0\n"
	"	cmn x0, #4095\n"
	"	b.cs 1f\n"
	"	ret\n"
	"1:	b own_call_failed\n"
	".cfi_endproc\n"
	".size system_call, .-system_call\n");
#else
#include <stdarg.h>

long system_call(long number, ...)
{
	static long (*function)(long, ...);
	long a[6];
	va_list more;

	va_start(more, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	if (!function)
		*(void **)&function = own_libc("syscall");
	if (function)
		return function(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	errno = ENOSYS;
	return -1;
}
#endif
