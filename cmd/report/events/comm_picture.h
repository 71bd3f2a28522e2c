/* comm_picture.h: the picture of tau-report comm: a matrix of bytes. */
#ifndef COMM_PICTURE_H
#define COMM_PICTURE_H

#include "analyze/messages/traffic.h"
#include "cmd/report/events/report_trace.h"

/* pes: ranks are 0 ... pes - 1. */
void comm_picture(FILE *f, const struct report_trace *r, const struct traffic *x, size_t pes);

#endif
