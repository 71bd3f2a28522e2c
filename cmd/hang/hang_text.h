/* hang_text.h: who waits for whom, in a sentence. */
#ifndef HANG_TEXT_H
#define HANG_TEXT_H

#include "analyze/hang/hang.h"
#include "cmd/hang/hang_style.h"

/* "rank 0, rank 1 and rank 2 thread 1", of ends.thread; the caller frees it. */
char *hang_threads_text(const struct thread_ends *x, const size_t *v, size_t n);
/* The most important of what was found, without a full stop; the caller frees it. */
char *hang_sentence(const struct hang *h, const struct hang_style *s);

#endif
