/* combinations.h: which options of tau-record mean something together. */
#ifndef COMBINATIONS_H
#define COMBINATIONS_H

#include "cmd/shared/option.h"

/*
 * given: the options of the command line; operands: how many words follow them. ERROR_USAGE: an option means nothing for what
 * tau-record shall do, or two contradict each other. It does one of: record a program, --list, --doctor, --control.
 */
int combinations_check(const struct option_list *given, int operands, struct error *e);

/* Options that exclude each other. */
extern const struct option_pair combinations_pairs[];

#endif
