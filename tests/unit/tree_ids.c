/* tree_ids.c: a table finds each node of a tree by parent and name, whatever the names are, and none that is not there. */
#include "analyze/base/tree_ids.h"

#include <stdlib.h>

#include "tap.h"

#define NODES 60000

struct node {
	uint32_t name, parent, other;
};

static struct node node[NODES];

/* Fills the nodes by one of several shapes of trees. */
static const char *shape(int which)
{
	static const char *const words[] = {"many children of few nodes", "a chain of one name",
					    "names in steps of 16", "names in steps of 2^20",
					    "parents in steps of 4096", "random names"};

	for (uint32_t i = 0; i < NODES; i++)
		node[i] = which == 0   ? (struct node){i % 300, i / 300, i}
			  : which == 1 ? (struct node){7, i, i}
			  : which == 2 ? (struct node){i % 300 * 16, i / 300, i}
			  : which == 3 ? (struct node){i % 4000 << 20, i / 4000, i}
			  : which == 4 ? (struct node){i % 5, i / 5 * 4096, i}
				       : (struct node){i * 2654435761u, UINT32_MAX, i};
	return words[which];
}

static uint32_t find(const struct tree_ids *t, uint32_t name, uint32_t parent)
{
	return tree_ids_find(t, node, sizeof(*node), (struct tree_node){name, parent});
}

/* The nodes with a wrong number, if only the first `there` are in the table. */
static size_t wrong(const struct tree_ids *t, size_t there)
{
	size_t n = 0;

	for (size_t i = 0; i < NODES; i++)
		n += find(t, node[i].name, node[i].parent) != (i < there ? i : TREE_NONE);
	return n;
}

/* The longest way to a node: slots that a search looks at. */
static size_t longest(const struct tree_ids *t)
{
	size_t most = 0;

	for (uint32_t i = 0; i < NODES; i++) {
		size_t at = tree_ids_home(t, (struct tree_node){node[i].name, node[i].parent}), n = 1;

		for (; t->slot[at] != i + 1; n++)
			at = (at + TREE_NEAR + 1) & (t->slots - 1);
		most = n > most ? n : most;
	}
	return most;
}

int main(void)
{
	struct tree_ids t = {0};

	ok(find(&t, 0, 0) == TREE_NONE, "an empty table has nothing");
	for (int i = 0; i < 6; i++) {
		const char *word = shape(i);
		size_t n;

		tree_ids_add(&t, node, sizeof(*node), 1);
		tree_ids_add(&t, node, sizeof(*node), NODES / 3);
		ok(t.n == NODES / 3 && !wrong(&t, NODES / 3), "%s: a third of the nodes", word);
		tree_ids_add(&t, node, sizeof(*node), NODES);
		ok(t.n == NODES && !wrong(&t, NODES), "%s: all", word);
		tree_ids_add(&t, node, sizeof(*node), NODES);
		n = longest(&t);
		ok(t.n == NODES && n <= 100, "%s: at most %zu slots are looked at", word, n);
		tree_ids_clear(&t);
		ok(!t.n && t.slots && wrong(&t, 0) == 0, "%s: cleared", word);
	}
	tree_ids_add(&t, node, sizeof(*node), 5);
	tree_ids_clear(&t);
	ok(!t.slots && find(&t, node[0].name, node[0].parent) == TREE_NONE, "a table that was hardly used keeps no memory");
	tree_ids_add(&t, node, sizeof(*node), 40);
	ok(find(&t, node[39].name, node[39].parent) == 39, "and takes nodes again");
	tree_ids_release(&t);
	ok(!t.slots && !t.n, "a table that was released is empty");
	return tap_end();
}
