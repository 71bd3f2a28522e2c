/*
 * spool.h: profiles in a temporary file, which are taken out again in the order in which they were put in. The file has no name: it is gone when
 * the process ends, however it ends.
 */
#ifndef SPOOL_H
#define SPOOL_H

#include "analyze/profile/profile.h"

struct spool;

/* In the directory TMPDIR, else /var/tmp, else /tmp. ERROR_SYSTEM: no file can be made there. */
int spool_open(struct spool **out, struct error *e);
void spool_close(struct spool *s);	/* NULL is allowed */

/* The profile stays the caller's. ERROR_SYSTEM: the file system is full. */
int spool_put(struct spool *s, const struct profile *p, struct error *e);

/* The next one, to be freed by the caller; nothing is put any more. */
int spool_next(struct spool *s, struct profile **out, struct error *e);

#endif
