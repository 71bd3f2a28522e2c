/*
 * kernel.h: system calls without a function of any library, which may be in code that is just being patched.
 */
#ifndef PATCH_KERNEL_H
#define PATCH_KERNEL_H

#include <stdint.h>
#include <sys/syscall.h>

/* A result or -errno. */
static inline long kernel(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
