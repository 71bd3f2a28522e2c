# controlled.sh: for tests of what is recorded of the control program; sources expect.sh. Its profiles, their calls, rows and call paths.
. "$(dirname "$0")/../expect.sh"

# counts NAME: calls of each region of the control program, in one line
regions="outer pair middle leaf deep"
profile() { tau-trace2profile --callpath=2 --format csv "$T/$1.run" >"$T/$1.csv" 2>"$T/$1.why"; }
counts() {
	profile "$1" || { cat "$T/$1.why"; return; }
	for r in $regions; do n=$(calls "$1" $r); printf '%s=%s ' $r "${n:-0}"; done | sed 's/ $//'
}
whole="outer=100 pair=100 middle=200 leaf=600 deep=180"
checked() { ok "$1: the trace is sound" tau-dump --check "$T/$1.run"; }

# rows NAME: name, group, calls, exclusive and inclusive us of every timer, with tabs between
rows() {
	awk -F '"' '!/,timer,/ { next }
		NF > 1 { split($3, v, ","); print $2 "\t" v[2] "\t" v[3] "\t" v[5] "\t" v[6]; next }
		{ split($0, v, ","); print v[6] "\t" v[7] "\t" v[8] "\t" v[10] "\t" v[11] }' "$T/$1.csv"
}
paths() { rows "$1" | awk -F '\t' '{ print $1, $3 }' | sort; }
# what exclusive times miss of the root's inclusive time, in ns
imbalance() {
	rows "$1" | awk -F '\t' '$2 !~ /TAU_CALLPATH/ { sum += $4 } $1 == ".TAU application" { root = $5 }
		END { printf "%d\n", (sum - root) * 1000 }'
}
records() { tau-dump "$T/$1.run" | grep -c '^  #'; }
run() { name=$1; shift; record $name "$@"; }
