/* follow_chunks.h: the events of a run as archives, each with those of a span of time, while it is recorded. */
#ifndef FOLLOW_CHUNKS_H
#define FOLLOW_CHUNKS_H

#include "analyze/trace/filter.h"
#include "convert/text/follow.h"

struct follow_chunks;

/*
 * Makes the folder `to`, which must not exist: ERROR_SYSTEM. Archives have `every` ns each. last: ns, nothing that is older at the
 * first look is written; 0: everything is. The caller keeps `to` and `only` (NULL: all) until follow_chunks_end().
 */
int follow_chunks_begin(struct follow_chunks **out, const char *to, int64_t every, int64_t last,
			const struct filter *only, struct error *e);
/*
 * Writes the archives that are complete in t, the run as it is now; all that is left, unless it goes on. *grown: t has more than at
 * the look before.
 */
int follow_chunks_look(struct follow_chunks *c, struct trace *t, struct follow_going going, int *grown,
		       struct error *e);
/* Prints on stderr what archives do not contain. */
void follow_chunks_report(const struct follow_chunks *c, const char *program);
/* Removes the folder if it is empty. NULL: nothing. */
void follow_chunks_end(struct follow_chunks *c);

#endif
