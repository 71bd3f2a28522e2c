/*
 * profile_print.h: profiles as tables for people, as one CSV table and as JSON. What the columns are is described in
 * tau-trace2profile(1), OUTPUT.
 */
#ifndef PROFILE_PRINT_H
#define PROFILE_PRINT_H

#include <stdio.h>

#include "../analyze/profile.h"

void profile_print_text(FILE *f, struct profile *const *p, size_t n);
void profile_print_csv(FILE *f, struct profile *const *p, size_t n);
void profile_print_json(FILE *f, struct profile *const *p, size_t n);

#endif
