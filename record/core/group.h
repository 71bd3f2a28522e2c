/*
 * group.h: which groups of regions are recorded.
 */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>

struct definition;

/* The lock is held. */
bool group_is_off(const struct definition *region);
void group_start(void);

#endif
