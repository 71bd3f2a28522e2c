/* message_counter.c: names of counters of messages by peer are read as they are written, and other names are none. */
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/message_counter.h"
#include "tap.h"

static const struct {
	struct message_counter m;
	const char *name;
} known[] = {
	{{MESSAGE_SENT, 3, MESSAGE_ALL_SIZES}, "Message size sent to node 3"},
	{{MESSAGE_RECEIVED, 0, 7}, "Message size received from node 0 (64 to 127 bytes)"},
	{{MESSAGE_PUT, INT32_MAX, 0}, "Bytes put node 2147483647 (0 to 0 bytes)"},
	{{MESSAGE_GOT, MESSAGE_PEER_UNKNOWN, 1}, "Bytes got node unknown (1 to 1 bytes)"},
	{{MESSAGE_ATOMIC, 12, 64}, "Bytes atomic node 12 (9223372036854775808 to 18446744073709551615 bytes)"},
	{{MESSAGE_SENT, MESSAGE_PEER_UNKNOWN, MESSAGE_ALL_SIZES}, "Message size sent to node unknown"},
};

static const char *const others[] = {
	"",
	"Message size sent to all nodes",
	"Message size sent to node ",
	"Message size sent to node 03",
	"Message size sent to node -3",
	"Message size sent to node 3 ",
	"Message size sent to node 2147483648",
	"Message size sent to node 99999999999999999999999",
	"Message size sent to node 3 : main => MPI_Send()",
	"Message size sent to node 3 (64 to 128 bytes)",
	"Message size sent to node 3 (63 to 127 bytes)",
	"Message size sent to node 3 (99999999999999999999999 to 1 bytes)",
	"Bytes put",
};

int main(void)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char *name = message_counter_name(&known[i].m);
		struct message_counter m = message_counter_read(known[i].name);

		ok(!strcmp(name, known[i].name), "%s", name);
		ok(m.kind == known[i].m.kind && m.peer == known[i].m.peer && m.size_class == known[i].m.size_class, "is read");
		free(name);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		ok(message_counter_read(others[i]).kind == MESSAGE_KINDS, "'%s' is another counter", others[i]);
	ok(message_size_class(0) == 0 && message_size_class(1) == 1 && message_size_class(127) == 7 && message_size_class(128) == 8 &&
		   message_size_class(UINT64_MAX) == 64,
	   "size classes");
	return tap_end();
}
