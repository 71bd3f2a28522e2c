/*
 * reduce.h: finds regions whose recording costs more than they show, by the rules of TAU's
 * tau_reduce:
 *
 *	[GROUP:] FIELD OP NUMBER { & FIELD OP NUMBER }		one rule per line; # begins a comment
 *
 *	OP	> < = (TAU's), and >= <=
 *	FIELD	numcalls, numsubs	calls, and calls of other regions from it
 *		usec, count		exclusive value
 *		cumusec, totalcount	inclusive value
 *		usecs/call, counts/call	inclusive value per call
 *		percent			inclusive value, of the largest of the thread
 *
 * Values are per thread. A region is excluded if a rule is true on any thread. This saves its calls
 * on all threads, with two events each.
 */
#ifndef REDUCE_H
#define REDUCE_H

#include "analyze/profile/profile.h"

#define REDUCE_RULE "numcalls > 1000000 & usecs/call < 2"

struct reduce_rules;

/*
 * reduce_rules_add() adds the rules of a text, which may have several lines. ERROR_USAGE, with a
 * message "where: ...": a line is not a rule. reduce_rules_free() frees them.
 */
struct reduce_rules *reduce_rules_new(void);
int reduce_rules_add(struct reduce_rules *r, const char *text, const char *where, struct error *e);
size_t reduce_rules_count(const struct reduce_rules *r);
const char *reduce_rule_text(const struct reduce_rules *r, size_t rule);
void reduce_rules_free(struct reduce_rules *r);

struct reduce_row {
	uint32_t timer;
	size_t rule;		/* the first rule that applies; SIZE_MAX: none */
	double calls, incl;	/* sums over threads */
};

/*
 * Rows of all measured regions, the most calls first; the caller frees them. p must be sorted; its
 * first metric is used.
 */
struct reduce_row *reduce_make(const struct profile *p, const struct reduce_rules *r, size_t *n);

#endif
