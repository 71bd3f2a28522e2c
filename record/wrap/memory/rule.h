/* rule.h: the user's rules for other object systems. */
#ifndef RULE_H
#define RULE_H

#include <stddef.h>
#include <stdint.h>

#include "census.h"

#pragma GCC visibility push(hidden)

#define RULE_NAME 264 /* a prefix and a name, with the 0 */
/* What the block has for its class by the rule: loaded data, or in a live block. 0: it is no object by the rule. */
uintptr_t rule_class(const struct census *c, unsigned rule, const struct census_block *b);
/* The name of the class there, of at most RULE_NAME characters; 0: it is none. */
int rule_name(char *name, const struct census *c, unsigned rule, uintptr_t class);
/* Objects of one class may differ in size. */
int rule_varying(unsigned rule);

#pragma GCC visibility pop
#endif
