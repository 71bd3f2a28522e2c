#!/bin/sh
# waits.sh: how fast messages are matched and waits are found: million events a second and core, from CPU time (user plus system).
# The trace is the worst case: ranks that do nothing but send and receive 8 bytes around a ring.
# Then what a window costs, in instructions: read from its begin, and from a cut that a report of everything has kept.
. "$(dirname "$0")/common"
have mpicc && have mpirun || { echo "no MPI is installed"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

# window KIND RANKS: 1 ms around the middle message of the first rank: in the middle of the run there may be none
window() {
	have valgrind || return 0
	first=$(ls "$T"/run/*.tau | head -1)
	middle=$(tau-dump "$first" | awk '/ SEND / { at[n++] = $2 } END { printf "%.0f", at[int(n / 2)] * 1e9 }')
	w=${middle}ns:$((middle + 1000000))ns
	rm -f "$T"/run/*.path "$T"/run/*.waits # so that all is read, and cuts are kept
	tau-report "$1" "$T/run" >/dev/null
	from_cut=$(instructions tau-report "$1" -w $w "$T/run")
	rm -f "$T"/run/*.cuts
	from_begin=$(instructions tau-report "$1" -w $w "$T/run")
	rm -f "$T"/run/*.cuts
	goal "$1 of 1 ms, $2 ranks: part of the instructions of reading from the begin" "$(calc %.2f "$from_cut / $from_begin")" most 0.2 "" \
		"$(calc %.0f "$from_cut / 1e6") of $(calc %.0f "$from_begin / 1e6") million"
}

build_tools
mpicc -O2 -o "$W/ring" "$TOP/bench/ring.c" || die "cannot build ring"
for ranks in 2 16; do
	rm -rf "$T/run" "$T"/ns.*
	mpirun -np $ranks tau-record --wrap mpi -o "$T/run" "$W/ring" $((800000 / ranks)) >/dev/null 2>"$T/err" || die "ring failed"
	n=$(tau-trace2profile --no-index -s -o "$T/profile" "$T/run" 2>&1 | sed -n 's/.*decoded \([0-9]*\) events.*/\1/p')
	[ -n "$n" ] || die "no number of events"
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		rm -f "$T"/run/*.path "$T"/run/*.waits
		for kind in comm waits efficiency timeline critical-path; do
			measure $kind tau-report $kind --format csv "$T/run"
		done
		# What these two found is kept beside the run.
		for kind in waits critical-path; do
			measure again-$kind tau-report $kind --format csv "$T/run"
		done
		i=$((i + 1))
		rm -rf "$T/profile"
	done
	printf '%s ranks, %s events\n' "$ranks" "$n"
	for kind in comm waits efficiency timeline critical-path; do
		speed=$(calc %.1f "$n / $(least $kind) * 1000")
		printf '  %-13s %8s million events/s\n' $kind "$speed"
		[ $kind = waits ] && goal "wait states, $ranks ranks" "$speed" least 20 "million events/s"
	done
	for kind in waits critical-path; do
		goal "a second $kind of the whole run, $ranks ranks: part of the CPU time of the first" \
			"$(calc %.3f "$(least again-$kind) / $(least $kind)")" most 0.2 "" "$(calc %.1f "$(least again-$kind) / 1e6") of $(calc %.1f "$(least $kind) / 1e6") ms"
	done
	window comm $ranks
	window waits $ranks
	window critical-path $ranks
done
