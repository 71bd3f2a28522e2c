/* native_complete.h: calls that are known only by the folded calls inside of them. */
#ifndef NATIVE_COMPLETE_H
#define NATIVE_COMPLETE_H

#include "convert/native/file/native_columns.h"

/*
 * For a chunk whose stream went on while it was read. Where the calls inside of a node's calls took longer than
 * these, a call is missing: its node was read before it ended, and theirs later, or its record is not kept. The node gets one more call,
 * and the time of those inside. kept: how many records of the chunk will be. last: when the nodes were read. When a chunk has begun the nodes
 * are written as records: then it has all calls, by records or nodes. path[i]: 0: the path of node i leads nowhere.
 */
void native_complete(struct tau_fold_node *nodes, size_t n, const uint32_t *path, const struct native_columns *c,
		     const struct tau_live_header *live, size_t kept, uint64_t last);

#endif
