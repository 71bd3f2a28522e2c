# db-messages.sh: messages by peer and size class in the store, against what a program of four ranks sends, and against counters.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
query() { tau-db query -f csv "$@" 2>&1 | tr -d '\r'; }
checked() { tau-db check -d "$1" 2>&1 | sed 's/^.*: \([0-9]* trials*\), .*, /\1, /'; }

# TAU profiles: PE n sent n + 1 messages of 100 bytes to PE 0; all sent one of 2^20 bytes to PE 1; one value is no integer.
mkdir profiles
for n in 0 1 2 3; do
	cat >profiles/profile.$n.0.0 <<-END
		1 templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
		"main" 1 0 100 100 0 GROUP="TAU_USER" 
		0 aggregates
		4 userevents
		# eventname numevents max min mean sumsqr
		"Message size sent to all nodes" $((n + 2)) 1048576 100 $(awk "BEGIN { printf \"%.17g\", ($n + 1) * 100 / ($n + 2) + 1048576 / ($n + 2) }") $((10000 * (n + 1) + 1099511627776))
		"Message size sent to node 0" $((n + 1)) 100 100 100 $((10000 * (n + 1)))
		"Message size sent to node 1" 1 1048576 1048576 1048576 1099511627776
		"Message size sent to node 2" 1 0.5 0.5 0.5 0.25
	END
done
tau-db import profiles >/dev/null
is "PEs with the same messages share a row; other values than integers stay with the counters" \
	"$(query "SELECT p.peer, v.first_node, v.last_node, v.messages, v.bytes FROM message_peer p LEFT JOIN message_value v ON v.message_peer = p.id ORDER BY 1, 2")" \
	"peer,first_node,last_node,messages,bytes
0,0,0,1,100
0,1,1,2,200
0,2,2,3,300
0,3,3,4,400
1,0,3,1,1048576
2,,,,"
is "TAU's counters are as they were" "$(query "SELECT c.name, t.node_rank, v.sample_count, v.maximum_value, v.minimum_value, v.mean_value, v.sum_of_squares
	FROM counter_value v JOIN counter c ON c.id = v.counter JOIN thread t ON t.id = v.thread WHERE t.node_rank IN (3, -2) AND c.name LIKE '%node %' ORDER BY 1, 2")" \
	"name,node_rank,sample_count,maximum_value,minimum_value,mean_value,sum_of_squares
Message size sent to node 0,-2,10,100,100,100,100000
Message size sent to node 0,3,4,100,100,100,40000
Message size sent to node 1,-2,4,1048576,1048576,1048576,4398046511104
Message size sent to node 1,3,1,1048576,1048576,1048576,1099511627776
Message size sent to node 2,-2,4,0.5,0.5,0.5,1
Message size sent to node 2,3,1,0.5,0.5,0.5,0.25"
is "who sends most to whom" "$(query message-pairs top=3)" "sender,receiver,kind,messages,bytes,share,smallest,largest
0,1,sent,1,1048576,24.9940409562692,1048576,1048576
1,1,sent,1,1048576,24.9940409562692,1048576,1048576
2,1,sent,1,1048576,24.9940409562692,1048576,1048576"
tau-db export --to tidy -o tidy.csv
is "the tidy table has them" "$(tr -d '\r' <tidy.csv | grep 'sent to node 0' | grep ',3,0,0,' | cut -d, -f 9-)" "Message size sent to node 0,,count,4
Message size sent to node 0,,maximum,100
Message size sent to node 0,,minimum,100
Message size sent to node 0,,mean,100
Message size sent to node 0,,sum_of_squares,40000"
tau-db export -o back.ppk 1 2>/dev/null
tau-db import -d back.db back.ppk >/dev/null
tau-db export -d back.db --to tidy -o again.csv
is "exported as packed profile and imported, it is the same table" "$(cut -d, -f 3- <again.csv | sort | cksum)" "$(cut -d, -f 3- <tidy.csv | sort | cksum)"
tau-db merge --again tau.db back.db >/dev/null
is "merged" "$(query message-pairs trial=2 | cksum) $(checked tau.db)" "$(query message-pairs trial=1 | cksum) 2 trials, no defects"
tau-db rm 1
is "removed: the rows of the other trial stay" "$(query "SELECT count(*) AS n, min(trial) AS trial FROM message_by_pair") $(checked tau.db)" "n,trial
8,2 1 trial, no defects"
tau-db rm 2
is "none is left" "$(query "SELECT (SELECT count(*) FROM message_peer) + (SELECT count(*) FROM message_value) AS n" | tail -n 1)" 0

if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
	skip "a program" "no MPI"
	tap_end
fi
# Each rank sends messages of 0, 8, 64, 100 and 5000 bytes to the next, and as many times 64 bytes to rank 0 as its number.
cat >send.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	static const int size[] = {0, 8, 64, 100, 5000};
	static char out[5000], in[5000];
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < 5; i++) {
		MPI_Sendrecv(out, size[i], MPI_CHAR, (rank + 1) % ranks, 0, in, 5000, MPI_CHAR, (rank + ranks - 1) % ranks, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("%d,%d,%d\n", rank, (rank + 1) % ranks, size[i]);
	}
	for (int i = 0; i < rank; i++) {
		MPI_Send(out, 64, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
		printf("%d,0,64\n", rank);
	}
	for (int i = 0; rank == 0 && i < ranks * (ranks - 1) / 2; i++)
		MPI_Recv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
END
mpicc -O1 send.c -o send || exit 1
if ! mpirun -n 4 tau-record -o run ./send >truth 2>err; then
	skip "a program" "mpirun cannot start it"
	tap_end
fi
pairs() { awk -F, '{ n[$1 "," $2]++; b[$1 "," $2] += $3 } END { for (p in n) print p "," n[p] "," b[p] }' | sort; }
tau-db import -d run.db run >/dev/null 2>&1
is "the pairs of the program" "$(query -d run.db message-pairs top=0 kind=sent | tail -n +2 | cut -d, -f 1,2,4,5 | sort)" "$(pairs <truth)"
is "as their receivers saw them" "$(query -d run.db message-pairs top=0 kind=received | tail -n +2 | cut -d, -f 1,2,4,5 | sort)" "$(pairs <truth)"
tau-db import -d run.db --sizes run >/dev/null 2>&1
is "size classes" "$(query -d run.db message-sizes kind=sent)" "kind,least,most,messages,bytes,pairs
sent,0,0,4,0,4
sent,8,15,4,32,4
sent,64,127,14,1040,6
sent,4096,8191,4,20000,4"
is "the pairs are the same" "$(query -d run.db message-pairs trial=2 top=0 kind=sent | cksum)" "$(query -d run.db message-pairs trial=1 top=0 kind=sent | cksum)"
tau-db import -d run.db --sizes --slices 5 run >/dev/null 2>&1
is "windows add up" "$(query -d run.db "SELECT sender, receiver, sum(messages) AS n, sum(bytes) AS bytes FROM message_by_pair
	WHERE trial = 3 AND kind = 'sent' AND size_class IS NOT NULL GROUP BY 1, 2" | tail -n +2 | sort)" "$(pairs <truth)"
is "no value of a peer is stored as a counter" "$(query -d run.db "SELECT count(*) AS n FROM counter_value_base WHERE counter IN (SELECT counter FROM message_peer)" | tail -n 1)" 0
is "and no defects" "$(checked run.db)" "3 trials, no defects"
tap_end
