/*
 * profile_print.h: profiles as one CSV table and as JSON. What the columns are is described in
 * tau-trace2profile(1), OUTPUT.
 */
#ifndef PROFILE_PRINT_H
#define PROFILE_PRINT_H

#include <stdio.h>

#include "analyze/profile/profile.h"

/* As print() in profile_format.h. */
void profile_print_csv(FILE *f, struct profile *p, size_t nth, size_t n);
void profile_print_json(FILE *f, struct profile *p, size_t nth, size_t n);

#endif
