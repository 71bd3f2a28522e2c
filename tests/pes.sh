# pes.sh: for tests that read TAU profiles of a made-up run on P PEs (cli/report.awk describes their contents).
# pes DIR P [VAR=VALUE]: a folder of them, the variable for report.awk
pes() {
	mkdir "$1"
	n=0
	while [ $n -lt "$2" ]; do
		awk -v P="$2" -v N=$n -v "${3:-SITES=0}" -f "$TOP/tests/cli/report.awk" >"$1/profile.$n.0.0"
		n=$((n + 1))
	done
}
