/* content.h: a number for the contents of a trial, by which an equal trial is found. */
#ifndef DB_CONTENT_H
#define DB_CONTENT_H

#include "analyze/profile/profile.h"

struct content {
	uint64_t sum[2];
	size_t windows;
};

/* The next window. */
void content_add(struct content *c, const struct profile *p);
/* 32 hexadecimal digits, to be freed. Not against people who look for two trials with the same number. */
char *content_text(const struct content *c);

#endif
