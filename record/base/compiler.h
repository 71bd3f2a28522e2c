/*
 * compiler.h: macros for extensions of the compiler: branch hints, cold and vectorized functions, exported symbols,
 * barriers.
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
/* For this thread, its signal handlers, and readers of what it leaves when it is killed. */
#define barrier() __asm__ volatile("" ::: "memory")
/* For other threads and for readers of the live mapping: stores before it are seen before stores after it. On x86 the same. */
#define publish_barrier() __atomic_thread_fence(__ATOMIC_RELEASE)

#endif
