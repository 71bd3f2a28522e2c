/* load_messages.c: rows of messages by peer -> samples of a profile. */
#include "analyze/profile/profile.h"
#include "db/load.h"

static int read_messages(struct load *l, sqlite3_stmt *q)
{
	int64_t id = sqlite3_column_int64(q, 0), first = sqlite3_column_int64(q, 3),
		last = sqlite3_column_int64(q, 4);
	double n = sqlite3_column_double(q, 5), bytes = sqlite3_column_double(q, 6);
	uint32_t counter, thread;

	if (!numbers_find(&l->counter, id, &counter))
		return load_bad(l, "message_peer of counter", id, "there is no such counter");
	for (int64_t node = first; node <= last; node++) {
		struct profile_sample *s;

		if (!load_thread_at(l, node, sqlite3_column_int(q, 1), sqlite3_column_int(q, 2),
				    &thread))
			return load_bad(l, "message_value of counter", id,
					"one of its threads is missing");
		s = profile_add_sample(l->p, thread, counter, PROFILE_FLAT);
		s->n = n;
		s->mean = bytes / n;
		s->min = sqlite3_column_double(q, 7);
		s->max = sqlite3_column_double(q, 8);
		s->sumsq = sqlite3_column_double(q, 9);
	}
	return 0;
}

int load_messages(struct load *l)
{
	if (!l->db->messages)
		return 0;
	return load_rows(l,
			 "SELECT p.counter, v.context_rank, v.thread_rank, v.first_node, "
			 "v.last_node, v.messages, v.bytes, v.smallest, v.largest, v.squares "
			 "FROM message_peer p JOIN message_value v ON v.message_peer = p.id "
			 "WHERE p.trial = ?1 AND v.time_range IS ?2",
			 read_messages);
}
