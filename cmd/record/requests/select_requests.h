/*
 * select_requests.h: answers processes of the run that ask which functions of a module are selected. tau-record reads only the
 * program that it starts; other programs, which that one starts, and libraries that are loaded later become known by a request.
 */
#ifndef SELECT_REQUESTS_H
#define SELECT_REQUESTS_H

#include "cmd/record/launch/launch.h"

struct select;
struct select_requests;

/*
 * Before the program starts; takes s. patch: the functions of --patch, or NULL; then the end reports if there is none in any
 * module. NULL and errno: no pipe can be made.
 */
struct select_requests *select_requests_begin(const char *directory, struct select *s,
					      const char *patch);
void select_requests_end(struct select_requests *r, const struct target *t);	/* r NULL: nothing */

#endif
