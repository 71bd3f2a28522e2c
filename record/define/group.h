/*
 * group.h: which groups of regions are recorded.
 */
#ifndef GROUP_H
#define GROUP_H

#include "record/api.h"

#include <stdbool.h>

struct definition;

/* The lock is held. */
bool group_is_off(const struct definition *region);
void group_start(void);
/* Names that are excluded have changed. */
void group_refresh(void);
/* The name of a bit that Tau_get_profile_group() gave; NULL: of none of them. */
const char *group_named(TauGroup_t group);

#endif
