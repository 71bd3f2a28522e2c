/* saving_registers.c: calls a function and preserves the registers that it may change. */
#include "record/base/compiler.h"
#include "record/enter/function_slow.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* x87, SSE, AVX, and the three of AVX-512. */
#define COMPONENTS 0xe7
uint64_t function_area __attribute__((visibility("hidden")));	/* bytes of XSAVE; 0: not known yet */
uint32_t function_xsave __attribute__((visibility("hidden")));	/* 0: only FXSAVE is available */

/* Finds the end of the last component in the standard format. */
static __attribute__((constructor)) void area_find(void)
{
	unsigned a, b, c, d;
	uint64_t end = 512 + 64;

	if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE)) {
		function_xsave = 1;
		for (unsigned i = 2; i < 8; i++)
			if ((COMPONENTS >> i & 1) && __get_cpuid_count(0xd, i, &a, &b, &c, &d) &&
			    a && b + a > end)
				end = b + a;
	}
	function_area = end;
}

/*
 * The header of the area, 64 bytes after the first 512, must be 0 before XSAVE, which sets only some of its bits.
 */
__asm__(".text\n"
	".globl saving_registers_area\n"
	".hidden saving_registers_area\n"
	".type saving_registers_area, @function\n"
	"saving_registers_area:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	pushq %rbx\n"
	"	.cfi_offset %rbx, -24\n"
	"	subq function_area(%rip), %rsp\n"
	"	andq $-64, %rsp\n"
	"	movq %rdi, %r11\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	cmpl $0, function_xsave(%rip)\n"
	"	je 1f\n"
	"	xorl %eax, %eax\n"
	"	movq %rax, 512(%rsp)\n"
	"	movq %rax, 520(%rsp)\n"
	"	movq %rax, 528(%rsp)\n"
	"	movq %rax, 536(%rsp)\n"
	"	movq %rax, 544(%rsp)\n"
	"	movq %rax, 552(%rsp)\n"
	"	movq %rax, 560(%rsp)\n"
	"	movq %rax, 568(%rsp)\n"
	"	movl $0xe7, %eax\n"
	"	xorl %edx, %edx\n"
	"	xsave64 (%rsp)\n"
	"	call *%r11\n"
	"	movl %eax, %ebx\n"
	"	movl $0xe7, %eax\n"
	"	xorl %edx, %edx\n"
	"	xrstor64 (%rsp)\n"
	"	jmp 2f\n"
	"1:	fxsave64 (%rsp)\n"
	"	call *%r11\n"
	"	movl %eax, %ebx\n"
	"	fxrstor64 (%rsp)\n"
	"2:	movl %ebx, %eax\n"
	"	movq -8(%rbp), %rbx\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size saving_registers_area, . - saving_registers_area\n");
int saving_registers_area(function_work *work, uint64_t a, uint64_t b)
	__attribute__((visibility("hidden")));

int saving_registers(function_work *work, uint64_t a, uint64_t b)
{
	if (unlikely(!function_area))
		area_find();
	return saving_registers_area(work, a, b);
}
#else
int saving_registers(function_work *work, uint64_t a, uint64_t b)
{
	return work(a, b);
}
#endif
