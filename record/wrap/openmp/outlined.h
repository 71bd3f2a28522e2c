/*
 * outlined.h: outlined functions: the code of parallel regions and tasks, which the compiler puts into functions of their own.
 */
#ifndef OUTLINED_H
#define OUTLINED_H

#include <stdint.h>

typedef void (*outlined)(void *);

#define OMP_HELD 6 /* deeper ones are not recorded */

/* What a thread has open besides the recorder's regions. */
struct omp_thread {
	uint32_t idle;	/* it waits outside of parallel regions */
	uint32_t work;	/* the loop or sections construct of its task */
	uint32_t end;	/* the closing barrier of a parallel region that it began */
	uint32_t held_n; /* critical sections that it is in */
	uint32_t held[OMP_HELD];
	uint32_t seen; /* its end is noticed */
	uint32_t team; /* the place of the team that it began last, 0: none */
	uint32_t in;   /* the number of the team that it is in, as it was recorded last */
	uint32_t what;	  /* its last call of LLVM's runtime by a name of GNU's */
	const void *site; /* and from where */
	const void *lock; /* LLVM's runtime: of the critical section that it is about to enter */
	uint64_t mark;	  /* lock_mark() when it began to wait for it */
	outlined fn;	  /* the innermost one that it runs */
};
extern __thread struct omp_thread omp_thread __attribute__((visibility("hidden")));

/* A call of an outlined function by each thread of a team, until the thread that began it gives it back. */
struct team {
	outlined fn;
	struct omp_thread *master; /* the thread that began it */
	const void *site;
	int closes; /* it ends with a barrier */
	int taken;
	uint32_t number, around; /* teams_number(); and that of the team that began it */
};
/* A team becomes active: its number, 0 if no other team is active. At its end, teams_over(). */
uint32_t teams_number(void);
void teams_over(void);
/* This thread is in the team with this number from now on. */
void teams_in(uint32_t number);
/* NULL: more teams run than there are places; this one's threads are not recorded. */
struct team *team_claim(outlined fn);
void team_release(struct team *t);
/* What the runtime is to call in place of the outlined function, with the data of the outlined function. */
outlined outlined_of_team(const struct team *t);

/* Is the address in the code of this wrapper? */
int is_ours(const void *address);
/*
 * Where a call came from. The last call of an outlined function may be a jump that returns to the wrapper: then it is the begin
 * of the outlined function.
 */
const void *site_of_call(const void *site);
/* A function that does what fn does, as a region. fn itself when there are too many. */
outlined outlined_of_task(outlined fn);

#endif
