/* move_messages.c: counters of messages by peer that an earlier version stored like all others become rows of message_value. */
#include "analyze/profile/message_counter.h"
#include "db/private.h"

static int add_peer(struct db *db, sqlite3_stmt *add, sqlite3_stmt *counter, struct error *e)
{
	struct message_counter m = message_counter_read(db_text(counter, 2));

	if (m.kind == MESSAGE_KINDS)
		return 0;
	sqlite3_bind_int64(add, 1, sqlite3_column_int64(counter, 1));
	sqlite3_bind_int64(add, 2, sqlite3_column_int64(counter, 0));
	db_bind_message(add, 3, &m);
	return db_insert(db, add, NULL, e);
}

static int add_peers(struct db *db, struct error *e)
{
	sqlite3_stmt *read = NULL, *add = NULL;
	int code = db_prepare(db, &read, e,
			      "SELECT id, trial, name FROM main.counter_base WHERE object IS NULL "
			      "AND id NOT IN (SELECT counter FROM main.message_peer)");

	if (code == 0)
		code = db_prepare(db, &add, e,
				  "INSERT INTO main.message_peer (trial, counter, kind, peer, "
				  "size_class) VALUES (?, ?, ?, ?, ?)");
	while (code == 0 && (code = db_step(db, read, e)) == 1)
		code = add_peer(db, add, read, e);
	sqlite3_finalize(read);
	sqlite3_finalize(add);
	return code < 0 ? code : 0;
}

/* Of a counter, all values are moved or none: only those of threads, if they follow from integers. */
static const char move_values[] =
	"CREATE TEMP TABLE IF NOT EXISTS moved_message (id INT, counter INTEGER PRIMARY KEY);"
	"DELETE FROM temp.moved_message;"
	"INSERT INTO temp.moved_message SELECT p.id, p.counter FROM main.message_peer p "
	"WHERE EXISTS (SELECT 1 FROM main.counter_value_base v JOIN main.thread t ON "
	"t.id = v.thread AND t.node_rank >= 0 WHERE v.counter = p.counter) "
	"AND NOT EXISTS (SELECT 1 FROM main.counter_value_base v JOIN main.thread t ON "
	"t.id = v.thread WHERE v.counter = p.counter AND (v.timer_callpath IS NOT NULL OR "
	"(t.node_rank >= 0 AND (v.sample_count >= 1 "
	"AND v.sample_count = CAST(v.sample_count AS INT) "
	"AND abs(v.sample_count * v.mean_value) < 9007199254740992.0 "
	"AND round(v.sample_count * v.mean_value) / v.sample_count = v.mean_value "
	"AND abs(v.minimum_value) < 9007199254740992.0 "
	"AND v.minimum_value = CAST(v.minimum_value AS INT) "
	"AND abs(v.maximum_value) < 9007199254740992.0 "
	"AND v.maximum_value = CAST(v.maximum_value AS INT) "
	"AND v.sum_of_squares < 9.2e18 "
	"AND v.sum_of_squares = CAST(v.sum_of_squares AS INT)) IS NOT 1)));"
	"INSERT INTO main.message_value SELECT k.id, v.time_range, t.context_rank, t.thread_rank, "
	"t.node_rank, t.node_rank, v.sample_count, "
	"CAST(round(v.sample_count * v.mean_value) AS INT), CAST(v.minimum_value AS INT), "
	"CAST(v.maximum_value AS INT), CAST(v.sum_of_squares AS INT) "
	"FROM temp.moved_message k JOIN main.counter_value_base v ON v.counter = k.counter "
	"JOIN main.thread t ON t.id = v.thread AND t.node_rank >= 0;"
	"DELETE FROM main.counter_value_base WHERE counter IN "
	"(SELECT counter FROM temp.moved_message);";

int db_move_messages(struct db *db, struct error *e)
{
	int code = add_peers(db, e);

	return code < 0 ? code : db_run(db, move_values, e);
}
