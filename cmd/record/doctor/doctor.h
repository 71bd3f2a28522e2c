/*
 * doctor.h: tau-record --doctor: tries each source of events on this machine, with a program whose trace is known, and
 * prints what will be recorded, what not, why, and what to install.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

/* Tries every source; prints a table. Returns 0 when all that is installed works, 1 otherwise. */
int doctor(void);

/* What the recorded child does: uses source `name` once. Returns its exit status. */
int doctor_probe(const char *name);

#endif
