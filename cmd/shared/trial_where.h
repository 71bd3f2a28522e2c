/*
 * trial_where.h: conditions that select trials or runs.
 *
 *	CONDITION  = AND { "or" AND }
 *	AND        = NOT { "and" NOT }
 *	NOT        = "not" NOT | "(" CONDITION ")" | NAME | NAME OP VALUE
 *	OP         = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" (a pattern with * and ?)
 *		   | "like" (a pattern of SQL, with % and _; case is ignored)
 *
 * NAME is a fact (trial_facts.h); VALUE and NAME are words, or any text in quotes ('..' or ".."). NAME alone: the trial has it.
 * Numbers are compared as numbers if both sides are numbers, otherwise as text. A comparison with what a trial does not have is
 * false. "tag" is true for each of the tags of a trial.
 */
#ifndef TRIAL_WHERE_H
#define TRIAL_WHERE_H

#include "cmd/shared/trial_facts.h"

struct where;

/* *out is for where_free(). ERROR_USAGE: "--where: ...". */
int where_parse(const char *text, struct facts *f, struct where **out, struct error *e);
void where_free(struct where *w);
/* w NULL: yes. */
int where_holds(const struct where *w, const struct facts *f, size_t trial);

#endif
