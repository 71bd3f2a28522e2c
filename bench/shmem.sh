#!/bin/sh
# shmem.sh: what recording adds to OpenSHMEM calls of 8 bytes, in ns of CPU time a call, beside the plain program in one run.
# A call is an enter, a leave and, for transfers, a record of target and bytes.
. "$(dirname "$0")/common"
have oshrun || { echo "no OpenSHMEM is installed"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M OMPI_MCA_memory=^patcher
calls=${1:-100000}

# Rounds take turns and the smallest counts.
for round in $(seq "$ROUNDS"); do
	rm -rf "$T/run"
	oshrun -np 2 "$B/apps/shmcost" "$calls" 2>/dev/null | sed -n 's/^COST/plain/p'
	oshrun -np 2 tau-record -o "$T/run" "$B/apps/shmcost" "$calls" 2>"$T/err" | sed -n 's/^COST/recorded/p'
done >"$T/costs"
grep -q recorded "$T/costs" || { cat "$T/err" >&2; die "nothing was recorded"; }
awk '!($2 in plain) { name[++n] = $2; plain[$2] = recorded[$2] = 1e300 }
	$1 == "plain" && $3 < plain[$2] { plain[$2] = $3 }
	$1 == "recorded" && $3 < recorded[$2] { recorded[$2] = $3 }
	END {
		printf "%-16s %10s %10s %10s %8s\n", "call", "plain ns", "recorded", "added", "ratio"
		for (i = 1; i <= n; i++) {
			p = plain[name[i]]
			r = recorded[name[i]]
			printf "%-16s %10.1f %10.1f %10.1f %8.2f\n", name[i], p, r, r - p, r / p
		}
	}' "$T/costs"
events=$((5 * calls * (2 + 4 * 3)))
bytes=$(cat "$T"/run/*.tau | wc -c)
awk -v b="$bytes" -v e="$events" 'BEGIN { printf "%.2f bytes an event\n", b / e }'
