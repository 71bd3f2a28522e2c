/* hints.h: what files of the memory wrapper tell the compiler. */
#ifndef HINTS_H
#define HINTS_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define HOT_TLS static __thread
#define EXPORT __attribute__((visibility("default")))

#endif
