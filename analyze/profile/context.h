/* context.h: texts that name call paths: "a => b => c", and counters in their context "E : a => b". */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "analyze/profile/profile.h"

/* The timer called name, added with the source location that its name holds; groups may be NULL. */
uint32_t context_add_timer(struct profile *p, const char *name, const char *groups);

/*
 * The path that text names; timers and paths are added, blanks around names are dropped, groups (may be NULL) belong to
 * the last timer. PROFILE_FLAT when an element is empty.
 */
uint32_t context_add_path(struct profile *p, const char *text, const char *groups);

/*
 * Reads name as "E : CONTEXT": returns the length of E, or 0 when name is to stay whole. It is a context when E is one
 * of events, or when CONTEXT consists of timers of p; of several readings the longest E holds.
 */
size_t context_base(const struct profile *p, const struct names *events, const char *name);

#endif
