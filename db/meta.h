/* meta.h: metadata over all trials of a database: the values of a name, names of trials, tags. */
#ifndef DB_META_H
#define DB_META_H

#include "db/db.h"

/* Tags of a trial are one piece of its metadata: words, sorted, with a comma between them. */
#define DB_META_TAGS "Tags"

/* Calls take() for each trial that has metadata of this name, in any case of letters, by number. */
int db_meta_values(struct db *db, const char *name,
		   void (*receive)(void *to, int64_t trial, const char *value), void *to,
		   struct error *e);
/* Calls receive() for each piece of metadata of each trial, in the order in which they were stored. */
int db_meta_each(struct db *db, void (*receive)(void *to, int64_t trial, const char *name, const char *value), void *to,
		 struct error *e);
/* Adds each name that any trial's metadata has. */
int db_meta_names(struct db *db, struct names *out, struct error *e);

/* Gives a trial another name, in one transaction. */
int db_rename(struct db *db, int64_t trial, const char *name, struct error *e);

/*
 * Adds n tags to the trials, or removes them, in one transaction. Tags are words without commas. had[n], may be NULL: for each tag
 * the number of trials that had it is added.
 */
int db_tag(struct db *db, const int64_t *trial, size_t trials, char *const *tag, size_t n, int remove,
	   size_t *had, struct error *e);

/* The list old with n more tags, sorted and each once; to be freed. */
char *db_tags_text(const char *old, char *const *tag, size_t n);

/* 1: the list of tags contains this one. */
int db_has_tag(const char *tags, const char *tag);

#endif
