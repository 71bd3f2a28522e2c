/* dump_check.h: verifies traces, and prints what is wrong with them. */
#ifndef DUMP_CHECK_H
#define DUMP_CHECK_H

#include "analyze/base/base.h"
#include "convert/io/input.h"

/* The files of a run of ours. ERROR_INPUT when any has a problem; each has been printed. */
int dump_check(struct input *in, struct error *e);
/* A trace of another format, which is read through. ERROR_INPUT: it is damaged. */
int dump_check_events(struct input *in, struct error *e);

#endif
