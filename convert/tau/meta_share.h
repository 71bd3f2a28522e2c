/*
 * meta_share.h: which attributes of threads are attributes of the trial. TAU can write what ranks share into the file of
 * the first one alone, and into the files of other ranks only what differs (TAU_MERGE_METADATA). An attribute of the first
 * thread becomes one of the trial
 *  - if all threads have it with the same value: threads then do not keep it;
 *  - if some lack it and none has another value, or if some lack it and no other node repeats a value of the first thread,
 *    as TAU writes it: the first value then holds for the threads that lack it. Threads that have it keep it.
 */
#ifndef META_SHARE_H
#define META_SHARE_H

#include "analyze/profile/profile.h"

struct meta_share {
	struct names name; /* of the first thread's attributes */
	struct meta_shared {
		char *value;
		unsigned seen; /* the number that the last thread had that has the name */
		int lacking, differs; /* a thread lacks it; has another value */
		int own; /* one of both: threads keep theirs */
	} *v; /* per name */
	size_t v_n, v_cap;
	unsigned threads; /* number of threads looked at */
	int32_t node;	  /* of the first thread */
	int repeated;	  /* another node has a value of the first thread */
};

/* The first thread. Of several attributes of a name, the last holds. */
void meta_share_begin(struct meta_share *s, const struct profile_attribute *a, size_t n, int32_t node);
/* Another thread. Sets .own of attributes that this thread lacks or has with another value. */
void meta_share_look(struct meta_share *s, const struct profile_attribute *a, size_t n, int32_t node);
/* 1: attribute id (index of v) is one of the trial. After all threads. */
int meta_share_whole(const struct meta_share *s, size_t id);
/* 1: all threads so far have it with the same value. */
int meta_share_everywhere(const struct meta_share *s, const char *name);
void meta_share_release(struct meta_share *s);

#endif
