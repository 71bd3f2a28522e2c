/*
 * extended.h: writes records with fields, and with the values of metrics where their kind has them.
 */
#ifndef EXTENDED_H
#define EXTENDED_H

#include "record/format.h"

#include <stddef.h>
#include <stdint.h>

/* The thread is busy. */
void record_extended(enum tau_record_kind kind, const uint8_t *fields, size_t length);
void record_extended_at(enum tau_record_kind kind, const uint8_t *fields, size_t length, uint64_t now);

#endif
