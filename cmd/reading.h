/* reading.h: the options of every program that reads traces: which threads do it. */
#ifndef READING_H
#define READING_H

#include "../convert/load.h"
#include "option.h"

struct reading {
	long threads;
};

/* What these options are before the command line is read. */
#define READING_DEFAULT {.threads = 1}

/* Their rows of the table, for a struct reading. */
#define READING_THREADS(r)                                                                         \
	{                                                                                          \
		'j', "threads", OPTION_NUMBER, "N",                                                \
			"threads that read streams side by side, 0: one for each processor "       \
			"(default: 1)",                                                            \
			&(r)->threads                                                              \
	}

/* Puts them into o. ERROR_USAGE: one of them makes no sense. */
int reading_take(const struct reading *r, struct load_options *o, struct error *e);

#endif
