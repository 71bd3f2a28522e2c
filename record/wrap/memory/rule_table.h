/* rule_table.h: the user's rules for other object systems, as tau-record passes them. */
#ifndef RULE_TABLE_H
#define RULE_TABLE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

#define RULES	     32
#define OFFSETS	     8
#define TEXT	     61

/* A rule: through which pointers an object leads to the name of its class (rule.c). */
struct rule {
	int string, heap, varying;
	size_t min, max;
	long offset[OFFSETS];
	unsigned n;
	char library[TEXT], prefix[TEXT];
};
extern struct rule rules[RULES];
extern unsigned rule_n;
/* Takes the rules of tau-record, NULL: none. */
void rule_init(const char *lines);
/* Clears the words that the rules look at. */
void rule_clear(void *p, size_t size);

#pragma GCC visibility pop
#endif
