/*
 * enter_filtered.h: entering and leaving regions in processes with filters, folding, metrics or a budget. The gate is
 * GATE_FILTERED and the thread is ready.
 */
#ifndef ENTER_FILTERED_H
#define ENTER_FILTERED_H

#include "record/format.h"

#include <stdbool.h>
#include <stdint.h>

struct stream;

void filtered_enter(uint64_t key, uint64_t sp);
void filtered_leave(uint64_t key);
void filtered_push_off(uint64_t key);
bool filtered_starts(uint64_t key);

#endif
