-- Messages by peer: see taudb(5). Runs after schema_counters.sql in a new database, and in one that an earlier version has made.

-- Added: what a message does. The sender of a get is the peer.
CREATE TABLE message_kind (
	id INTEGER PRIMARY KEY,
	name VARCHAR NOT NULL
);
INSERT INTO message_kind (id, name) VALUES
	(0, 'sent'), (1, 'received'), (2, 'put'), (3, 'got'), (4, 'atomic');

-- A counter of the messages of threads with one peer, which is a rank.
CREATE TABLE message_peer (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	trial INT NOT NULL,
	counter INT NOT NULL,
	kind INT NOT NULL,
	peer INT,		-- NULL: unknown
	size_class INT,		-- 0: no bytes; k: 2^(k-1) up to 2^k - 1 bytes; NULL: of all sizes
	FOREIGN KEY (trial) REFERENCES trial (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (counter) REFERENCES counter_base (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (kind) REFERENCES message_kind (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

-- Their number and sizes in a window (NULL: the only one of its trial), on each of the threads with this context_rank and
-- thread_rank on the nodes first_node to last_node.
CREATE TABLE message_value (
	message_peer INT NOT NULL,
	time_range INT,
	context_rank INT NOT NULL,
	thread_rank INT NOT NULL,
	first_node INT NOT NULL,
	last_node INT NOT NULL,
	messages INT NOT NULL,
	bytes INT NOT NULL,
	smallest INT NOT NULL,
	largest INT NOT NULL,
	squares INT NOT NULL,
	FOREIGN KEY (message_peer) REFERENCES message_peer (id) ON DELETE NO ACTION ON UPDATE NO ACTION,
	FOREIGN KEY (time_range) REFERENCES time_range (id) ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE INDEX message_peer_trial ON message_peer (trial);
CREATE INDEX message_peer_counter ON message_peer (counter);
CREATE INDEX message_value_peer ON message_value (message_peer);
