# late-fence.sh: time that ranks wait in fences of a window for the last one.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpifence)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"
export OMPI_MCA_mpi_yield_when_idle=1
for mpi in $all; do
mpi_with "$mpi"
ranks_apart said 3 tau-record -o run "$apps/mpifence" >/dev/null 2>err </dev/null || { fail "it runs"; cat err; continue; }
is "three ranks came to three fences" "$(grep -c '^fence' said)" 9
# Of each rank: time from its own coming to that of the last one.
awk '$1 == "fence" { t[$2 " " $3] = $4; if ($4 > last[$2]) last[$2] = $4 }
	END { for (k in t) { split(k, w, " "); ms[w[2]] += last[w[1]] - t[k] } for (r = 0; r < 3; r++) printf "%d %.6f\n", r, ms[r] }' said >truth
# ... and from its own coming to the end of the last put to it, if that is later.
awk '$1 == "fence" { t[$2 " " $3] = $4 } $1 == "put" { end[$2 " " $3] = $4 }
	END { for (k in end) if (end[k] > t[k]) { split(k, w, " "); ms[w[2]] += end[k] - t[k] } for (r in ms) printf "%d %.6f\n", r, ms[r] }' said |
	sort >parts
is "two ranks had a put after their coming" "$(cut -d ' ' -f 1 parts | tr '\n' ' ')" "0 2 "
for from in run run.otf2; do
	[ $from = run ] || tau-convert --to otf2 run run.otf2 2>err
	tau-report waits --by rank -f csv $from 2>/dev/null | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["pattern"] == "wait at fence" { print $c["rank"], $c["time_ms"] }' | sort >got
	sed 's/^/# /' got
	# Making the window and the last fence may wait, too, and a rank may lose its processor between its output and the call.
	while read -r rank ms; do
		ok "$from: rank $rank waited $ms ms" awk -v rank="$rank" -v ms="$ms" '
			$1 == rank { d = $2 - ms; good = d >= -0.05 * ms - 5 && d <= 0.05 * ms + 40 } END { exit !good }' got
	done <truth
	tau-report waits --by rank -f csv $from 2>/dev/null | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["pattern"] == "early fence" { print $c["rank"], $c["time_ms"] }' | sort >got
	is "$from: comm has both waits" "$(tau-report comm $from 2>/dev/null | sed -n 's/^\(wait at fence\|early fence\)  .*MPI_Win_fence()$/\1/p' | sort -u | tr '\n' ,)" \
		"early fence,wait at fence,"
	is "$from: early fence: these ranks, and no other" "$(cut -d ' ' -f 1 got | tr '\n' ' ')" "0 2 "
	while read -r rank ms; do
		ok "$from: rank $rank: $ms ms of it before the end of the last put" awk -v rank="$rank" -v ms="$ms" '
			$1 == rank { d = $2 - ms; good = d >= -0.05 * ms - 5 && d <= 0.05 * ms + 5 } END { exit !good }' got
	done <parts
done
done
tap_end
