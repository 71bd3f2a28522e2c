/*
 * hints.h: macros with hints for the compiler: branch probability, thread-local storage,
 * visibility.
 */
#ifndef HINTS_H
#define HINTS_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define HOT_TLS static __thread
#define EXPORT __attribute__((visibility("default")))

#endif
