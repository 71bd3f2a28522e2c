/*
 * sampled_stacks.h: sampled call stacks: how often, and for how long, code ran inside which region and called from where; and the
 * timers of a profile that show it, named as TAU names them:
 *
 *	main => [CONTEXT] main => [UNWIND] solve [{a.c} {17}] => [SAMPLE] step [{a.c} {40}]
 *
 * Times are the CPU time that samples stand for. Everything is a count or a sum of integers, so windows add up.
 */
#ifndef SAMPLED_STACKS_H
#define SAMPLED_STACKS_H

#include "analyze/base/map.h"
#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"

/* All stacks of a replay as a tree: a node is code under the node of what called it. Node 0 is empty. */
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
/* The node of code that is called by that of a node. */
uint32_t stack_tree_child(struct stack_tree *t, uint32_t node, uint32_t code);
/* The node of a stack of n, innermost first. */
uint32_t stack_tree_add(struct stack_tree *t, const uint32_t *code, size_t n);

/* What was sampled, by context (a region or a path of regions, as the caller numbers them) and stack. */
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
	STACK_LINE,		/* a timer for each line that was sampled */
	STACK_FUNCTION,
	STACK_FILE,
};

/* Asks for places in code; the first question about each may take long. */
struct stack_places {
	struct trace *trace;
	enum stack_resolution resolution;
	void (*tick)(void *to);	/* after each answer; NULL: nobody wants to know */
	void *to;
};

/*
 * Adds the timers, paths and rows of what was sampled on a thread. context(to, number) is the profile's path of a
 * context.
 */
void stacks_fill(const struct stacks *s, const struct stack_tree *tree, struct stack_places *places, struct profile *p,
		 uint32_t thread, uint32_t (*context)(void *to, uint32_t number), void *to);

#endif
