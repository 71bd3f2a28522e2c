/* message_counter.c: makes and reads the names of counters of messages by peer. */
#include "analyze/profile/message_counter.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

static const struct {
	const char *all, *node; /* node: the text before the peer */
} names[MESSAGE_KINDS] = {
	[MESSAGE_SENT] = {"Message size sent to all nodes", "Message size sent to node "},
	[MESSAGE_RECEIVED] = {"Message size received from all nodes",
			      "Message size received from node "},
	[MESSAGE_PUT] = {"Bytes put", "Bytes put node "},
	[MESSAGE_GOT] = {"Bytes got", "Bytes got node "},
	[MESSAGE_ATOMIC] = {"Bytes atomic", "Bytes atomic node "},
};
static const char unknown[] = "unknown";

const char *message_counter_all(enum message_kind kind)
{
	return names[kind].all;
}

char *message_counter_name(const struct message_counter *m)
{
	uint64_t least = m->size_class > 0 ? UINT64_C(1) << (m->size_class - 1) : 0;
	uint64_t most = m->size_class > 0 ? least + (least - 1) : 0;
	char *peer = m->peer < 0 ? mem_printf("%s%s", names[m->kind].node, unknown)
				 : mem_printf("%s%" PRId32, names[m->kind].node, m->peer),
	     *name;

	if (m->size_class == MESSAGE_ALL_SIZES)
		return peer;
	name = mem_printf("%s (%" PRIu64 " to %" PRIu64 " bytes)", peer, least, most);
	free(peer);
	return name;
}

/* Reads a number. Returns 0 and *rest, the text after it, or -1: no number is here. */
static int read_number(const char *text, uint64_t *v, const char **rest)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	*v = strtoull(text, &end, 10);
	*rest = end;
	return 0;
}

static struct message_counter read_kind(enum message_kind kind, const char *text)
{
	struct message_counter m = {kind, MESSAGE_PEER_UNKNOWN, MESSAGE_ALL_SIZES};
	uint64_t v;

	if (!read_number(text, &v, &text) && v <= INT32_MAX)
		m.peer = (int32_t)v;
	else if (!strncmp(text, unknown, strlen(unknown)))
		text += strlen(unknown);
	if (!strncmp(text, " (", 2) && !read_number(text + 2, &v, &text))
		m.size_class = message_size_class(v);
	return m;
}

/*
 * Only texts that message_counter_name() makes are such names: the name is made again and compared.
 */
struct message_counter message_counter_read(const char *name)
{
	const struct message_counter none = {MESSAGE_KINDS, MESSAGE_PEER_UNKNOWN,
					     MESSAGE_ALL_SIZES};

	for (unsigned k = 0; k < MESSAGE_KINDS; k++) {
		size_t n = strlen(names[k].node);
		struct message_counter m;
		char *again;
		int same;

		if (strncmp(name, names[k].node, n))
			continue;
		m = read_kind((enum message_kind)k, name + n);
		again = message_counter_name(&m);
		same = !strcmp(again, name);
		free(again);
		return same ? m : none;
	}
	return none;
}
