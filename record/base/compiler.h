/*
 * compiler.h: macros for extensions of the compiler: branch hints, cold and vectorized functions, exported symbols,
 * a compiler barrier.
 */
#ifndef COMPILER_H
#define COMPILER_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define out_of_line __attribute__((noinline, cold))
#define EXPORT __attribute__((visibility("default")))
/* Loops in it are vectorized: gcc does that at -O3, clang at -O2. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTORIZED __attribute__((optimize("O3")))
#else
#define VECTORIZED
#endif
#define barrier() __asm__ volatile("" ::: "memory")

#endif
