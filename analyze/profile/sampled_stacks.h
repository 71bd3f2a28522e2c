/*
 * sampled_stacks.h: counts sampled call stacks: how often, and for how long, code was running in
 * which region and with which callers; and makes timers of a profile from them, with TAU's names:
 *
 *	main => [CONTEXT] main => [UNWIND] solve [{a.c} {17}] => [SAMPLE] step [{a.c} {40}]
 *
 * Code of the recorder is one timer, STACK_RECORDER, below the code that called it; which functions it consists of is of no use to
 * the program's authors.
 *
 * Times are the CPU time that samples represent. Everything is a count or a sum of integers, so
 * windows add up.
 */
#ifndef SAMPLED_STACKS_H
#define SAMPLED_STACKS_H

#include "analyze/base/map.h"
#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"

#define STACK_RECORDER ".TAU recorder"

/*
 * All stacks of a replay as a tree: a node is code below the node of its caller. Node 0 is the
 * empty stack.
 */
struct stack_node {
	uint32_t code;		/* as in the trace */
	uint32_t parent;
};
struct stack_tree {
	struct stack_node *v;
	size_t v_n, v_cap;
	struct map child;	/* (parent, code) -> node */
};
void stack_tree_init(struct stack_tree *t);
void stack_tree_release(struct stack_tree *t);
/* The child of a node for this code; adds it if necessary. */
uint32_t stack_tree_child(struct stack_tree *t, uint32_t node, uint32_t code);
/* The node of a stack of n code addresses, innermost first. */
uint32_t stack_tree_add(struct stack_tree *t, const uint32_t *code, size_t n);

/* Samples by context (a region or a path of regions, in the numbers of the caller) and stack. */
struct stack_count {
	uint32_t context, node;
	uint64_t n;
	int64_t ns;
};
struct stacks {
	struct stack_count *v;
	size_t v_n, v_cap;
	struct map index;	/* (context, node) -> index */
};
void stacks_add(struct stacks *s, uint32_t context, uint32_t node, uint64_t n, int64_t ns);
void stacks_merge(struct stacks *into, const struct stacks *from);
void stacks_clear(struct stacks *s);
void stacks_release(struct stacks *s);
int stacks_empty(const struct stacks *s);

enum stack_resolution {
	STACK_LINE,		/* one timer per sampled line */
	STACK_FUNCTION,
	STACK_FILE,
};

/* How code is turned into timers. The first look-up of each code address may be slow. */
struct stack_places {
	struct trace *trace;
	enum stack_resolution resolution;
	void (*tick)(void *to);	/* called after each look-up; NULL: not called */
	void *to;
};

/*
 * Adds the timers, paths and rows for the samples of a thread. context(to, number) returns the
 * profile's path for a context. The times of rows are us, in the first metric. Samples with the
 * empty stack are ignored.
 */
void stacks_fill(const struct stacks *s, const struct stack_tree *tree, struct stack_places *places, struct profile *p,
		 uint32_t thread, uint32_t (*context)(void *to, uint32_t number), void *to);

#endif
