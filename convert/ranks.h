/*
 * ranks.h: several processes of one job share the reading of a trace: each takes its share of the streams, and rank 0 puts the
 * parts together. They meet in a hidden directory beside the output, by files alone, since this needs no more than
 * what they have in common anyway, the file system; so the program is linked with no MPI library, and every launcher will do that
 * tells its processes their rank in the environment.
 *
 *	job	from rank 0: a number that no other job has, and whether it came to its end
 *	beat.R	from each rank: changes every second while it lives
 *	part.R	from each other rank, in answer to a job: its part, or why there is none
 *
 * Each appears whole, by a change of name. A rank waits until rank 0 has come to its end, so that all end alike; whoever finds
 * that another one has gone, or never came, gives up with a sentence. Files of a job that died here before are known by
 * their number and ignored.
 */
#ifndef RANKS_H
#define RANKS_H

#include "../analyze/replay.h"

struct ranks;

/*
 * Is this process one of several that a launcher started together? Then *rank of *size, and what tells their job from others, to be
 * freed. 0: it is alone.
 */
int ranks_job(unsigned *rank, unsigned *size, char **job);

/*
 * Meets the others. beside: a path in the directory where they meet. what: a text that ranks of the same work have in common.
 * ERROR_SYSTEM: there is no such directory. The caller ends it with ranks_end().
 */
int ranks_begin(unsigned rank, unsigned size, const char *job, const char *beside, const char *what, struct ranks **out,
		struct error *e);

unsigned ranks_rank(const struct ranks *r);
unsigned ranks_size(const struct ranks *r);

/* From here on the trace counts what this rank alone has read. */
void ranks_mark(struct ranks *r, const struct trace *t);

/*
 * t NULL: there is nothing to share, but rank 0 waits until all are there. Rank 0: adds the parts of the others to its own, in their order. Others: hand their part over, which is empty then. Errors: those of
 * the other ranks, with their number; ERROR_SYSTEM: one is not there.
 */
int ranks_share(struct ranks *r, struct trace *t, struct replay_part *part, struct error *e);

/*
 * The last act. Rank 0, which has said why if it was an error, tells the others how it ended (e->code: 0 or an error). The others tell
 * rank 0 of an error of their own, and wait until it has ended. Returns the code to end with: that of e, but 0 where rank 0
 * has said what there was to say, and its status is that of the job. Frees r.
 */
int ranks_end(struct ranks *r, const struct error *e);

#endif
