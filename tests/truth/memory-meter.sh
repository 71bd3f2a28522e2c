#!/bin/sh
# memory-meter.sh: live heap as recorded against meters that know nothing of the recorder: the allocator's own books (mallinfo2), and
# the kernel's (smaps_rollup), of one process and summed over a job.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_MEMORY_SITES TAU_TRACK_MEMORY_LEAKS

"$B/apps/memmeter" >"$T/plain" || fail "memmeter ends with $?"
ok "a program is recorded" tau-record -o "$T/run" --memory=types "$B/apps/memmeter"
# live KIND RUN: over all processes
live() {
	tau-trace2profile --format csv "$2" |
		awk -F, -v n="live $1untyped [memmeter]" '$5 == "counter" && $6 == n { s += $14 } END { print s + 0 }'
}
meter() { sed -n "s/^METER $1 \([0-9]*\) .*/\1/p" "$2" | awk '{ s += $1 } END { print s }'; }
is "live bytes are the program's own" "$(live '' "$T/run")" "$(meter program "$T/plain")"
is "live blocks too" "$(live 'objects ' "$T/run")" 40000
is "mallinfo2 agrees to the byte: what it adds is 8 bytes a block" "$(meter mallinfo2 "$T/plain")" "$(live '' "$T/run")"
touched=$(sed -n 's/.*of \([0-9]*\) touched/\1/p' "$T/plain") kernel=$(meter smaps_rollup "$T/plain")
ok "the kernel has what was touched resident, and at most 5 % more ($touched, $kernel)" \
	[ "$kernel" -ge "$touched" -a "$kernel" -le $((touched + touched / 20)) ]

# A job: the sums over its processes.
command -v mpirun >/dev/null || { skip "a job" "no mpirun"; tap_end; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpirun -np 3 "$B/apps/memmeter" >"$T/plain" 2>"$T/err" || { skip "a job" "mpirun cannot run here"; tap_end; }
ok "a job of three processes is recorded" mpirun -np 3 tau-record -o "$T/job" --memory=types "$B/apps/memmeter"
is "live bytes of the job are the sum that mallinfo2 gives in each process" "$(live '' "$T/job")" "$(meter mallinfo2 "$T/plain")"

# An MPI job, all of whose processes a program of ours asks the kernel about.
[ -x "$B/apps/memjobmeter" ] || { skip "an MPI job" "no MPI compiler"; tap_end; }
job() { sed -n "s/^JOB .*$1 \([0-9]*\).*/\1/p" "$2"; }
ok "an MPI program runs" sh -c "mpirun -np 4 '$B/apps/memjobmeter' >$T/plain"
ok "and is recorded" sh -c "mpirun -np 4 tau-record -o $T/mpi --memory=types '$B/apps/memjobmeter' >$T/told"
live=$(tau-report memory -f csv --top 0 "$T/mpi" | awk -F, '$1 == "untyped [memjobmeter]" { print $(NF - 5) }')
is "live bytes of the job are the program's" "$live" "$(job program "$T/plain")"
plain=$(job kernel "$T/plain") told=$(job kernel "$T/told")
ok "the kernel has them resident in the job's processes, and at most 5 % more ($live, $plain)" \
	[ "${plain:-0}" -ge "$live" -a "${plain:-0}" -le $((live + live / 20)) ]
ok "with the recorder at most 10 % and 5 MB a process more ($told)" \
	[ "${told:-0}" -ge "$live" -a "${told:-0}" -le $((live + live / 20 + live / 10 + 4 * 5242880)) ]
tap_end
