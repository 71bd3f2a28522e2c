# spawned.sh: processes of MPI_Comm_spawn() and MPI_Comm_spawn_multiple() are in the run of those that start them, with ranks of their
# own, and have the arguments and directory that they have without the recorder.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis spawned)
[ "$all" ] || skip_all "no MPI"
starts() { ranks 2 "$@" "$apps/spawned" 2>err </dev/null; }

for mpi in $all; do
mpi_with "$mpi"
case $mpi in openmpi) wrap=mpi ;; *) wrap=mpich ;; esac
starts >plain.out || { skip "started processes" "this MPI does not start any here: $(grep -m 1 -o 'Error in spawn call' err)"; continue; }
starts tau-record -w $wrap -o spawned.run >spawned.out
is "the program ends as it should" $? 0
is "started processes have their arguments, directory and environment" "$(grep ^STARTED "spawned.out" | sort)" \
	"$(grep ^STARTED "plain.out" | sort)"
is "nothing is named as left out" "$(grep -c 'not in this run' "err")" 0
is "each has a row in the table of processes, behind its head" "$(($(wc -c <"spawned.run/processes") / 128))" 9
is "and ended by itself" "$(tau-trace2profile --format csv "spawned.run" 2>&1 >/dev/null)" ""
expect spawned
is "two processes of the launcher, and started ones after them, each with its own rank" \
	"$(awk -F, '$5 == "timer" && $2 >= 0 { print $2 }' "spawned.csv" | sort -un | tr '\n' ' ')" "0 1 2 3 4 5 6 7 8 "
# Each sends one message to the next one of its own world.
is "messages of started processes go to ranks of their own world" "$(awk -F, '$5 == "counter" && $2 >= 0 &&
	match($6, /sent to node [0-9]+/) { print $2, substr($6, RSTART + 13, RLENGTH - 13) }' "spawned.csv" | sort -u | tr '\n' ' ')" \
	"2 3 3 2 4 5 5 6 6 4 7 7 8 8 "
ok "the trace is consistent" tau-dump --check "spawned.run"
done
tap_end
