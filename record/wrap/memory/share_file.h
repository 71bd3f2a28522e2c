/* share_file.h: the file by which one process gives others what it has found in a census. It is read on the same host only. */
#ifndef SHARE_FILE_H
#define SHARE_FILE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Of the file's name; a number follows. */
#define TAU_SHARED_CENSUS "census."

/* The file: the head, the classes, owners and groups, and texts, which end with a zero each. */
struct share_head {
	uint64_t magic, bytes; /* of the whole file */
	uint64_t pid;
	uint32_t class_n, owner_n, group_n, text_n;
	uint64_t unread, edges, agree, disagree;   /* struct census */
	uint64_t claims, wrong, missed,
		unchecked; /* what the search has added to struct memory_tally */
};
struct share_class {
	uint32_t name, library; /* texts */
	uint64_t at;		/* the descriptor in the library */
	uint64_t size;
	uint32_t family, unused;
};
/* what: a class, or the text of a library. owner: its number plus one, of one before; 0: none. */
struct share_owner {
	uint32_t kind, what;
	uint32_t name; /* of a variable, UINT32_MAX: it has none */
	uint32_t owner;
};
/* n blocks of one size, type and site, and what they are in truth. node: only while it is written. */
struct share_group {
	uint64_t key, size;
	uint32_t n, node;
	uint32_t kind, what, owner, rooted;
};

/* A file that is being made. NULL: without memory. At most as many groups as blocks. */
struct share_write {
	struct share_head head;
	struct share_class *class;
	struct share_owner *owner;
	struct share_group *group;
	char *text;
	size_t group_most;
};
struct share_write *share_write_new(size_t group_most);
void share_write_free(struct share_write *w);
/* Each returns the number of what is added; a text, its place. When there is no room the file is not written. */
uint32_t share_text(struct share_write *w, const char *text);
uint32_t share_class(struct share_write *w, const struct share_class *c);
uint32_t share_owner(struct share_write *w, const struct share_owner *o);
uint32_t share_group(struct share_write *w, const struct share_group *g);
/* Makes the empty file; 0: that is not possible, EEXIST: another process has. */
int share_create(const char *name);
/* Fills it. */
void share_write(struct share_write *w, const char *name);
void share_remove(const char *name);

/* A file that is read. */
struct share_read {
	const struct share_head *head;
	const struct share_class *class;
	const struct share_owner *owner;
	const struct share_group *group;
	const char *text;
};
/* 0: it is not there, not whole yet, or damaged. While it is empty, a look is one system call. */
int share_read(struct share_read *r, const char *name);
/* Waits until it is whole; 0: that takes too long. */
int share_await(struct share_read *r, const char *name);
void share_read_end(struct share_read *r);
/* The text at a place; "": none is. */
const char *share_name(const struct share_read *r, uint32_t place);

#pragma GCC visibility pop
#endif
