/*
 * context.h: reads texts that name call paths: "a => b => c", and counters in their context "E : a
 * => b".
 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "analyze/profile/profile.h"

/*
 * The timer of that name, added if necessary, with the source location that its name contains;
 * groups may be NULL.
 */
uint32_t context_add_timer(struct profile *p, const char *name, const char *groups);

/*
 * The path that text names. Adds timers and paths, removes blanks around names; groups (may be
 * NULL) are those of the last timer. PROFILE_FLAT: an element is empty.
 */
uint32_t context_add_path(struct profile *p, const char *text, const char *groups);

/*
 * Reads name as "E : CONTEXT": returns the length of E, or 0 if the name has no context. It has one
 * if E is in `events`, or if CONTEXT consists of timers of p; if several splits are possible, the
 * one with the longest E is used. O(length of the name).
 */
size_t context_base(const struct profile *p, const struct names *events, const char *name);

#endif
