/*
 * compiler.h: macros for extensions of the compiler: branch hints, cold functions, exported symbols, a compiler barrier.
 */
#ifndef COMPILER_H
#define COMPILER_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define out_of_line __attribute__((noinline, cold))
#define EXPORT __attribute__((visibility("default")))
#define barrier() __asm__ volatile("" ::: "memory")

#endif
