/* dump_check.h: verifies traces, and prints what is wrong with them. */
#ifndef DUMP_CHECK_H
#define DUMP_CHECK_H

#include "analyze/base/base.h"

/* The files of a run of ours. ERROR_INPUT when any has a problem; each has been printed. */
int dump_check(const char *path, struct error *e);
/* A trace of another format, which is read through. ERROR_INPUT: it is damaged. */
int dump_check_events(const char *path, struct error *e);

#endif
