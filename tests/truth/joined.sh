# joined.sh: two records written in one step equal the two that are written one by one, wherever they are in a file and with any
# options of the recorder; and joined records have one time.
. "$(dirname "$0")/../expect.sh"

joined=$B/apps/joined

# The records within a region of the run, without times and without the region's own name.
records() {
	tau-dump --only records "$T/$1.run" | awk -v region="$2()" '
		$4 != "ns" { next }
		$5 == "ENTER" { inside = $6 == region; $6 = $7 = "" }
		inside { $1 = $2 = $3 = $4 = ""; print }
		$5 == "LEAVE" { inside = 0 }'
}

# same NAME [options]: records joined with these options.
same() {
	name=$1; shift
	record "$name" "$@" "$joined"
	is "$name: the program ends as it should" "$code" 0
	ok "$name: its files are sound" tau-dump --check "$T/$name.run"
	records "$name" joined >"$T/$name.joined"
	records "$name" apart >"$T/$name.apart"
	is "$name: 96 calls are in both ways" "$(grep -c ENTER "$T/$name.joined") $(grep -c ENTER "$T/$name.apart")" "96 96"
	ok "$name: joined or apart, the same is recorded" cmp "$T/$name.joined" "$T/$name.apart"
}

same plain
expect plain
is "what is joined has one time" "$(tau-dump --only records "$T/plain.run" | awk '
	$4 != "ns" { next }
	$5 == "ENTER" { inside = $6 }
	inside == "apart()" { next }
	$5 == "SEND" || $5 == "RMA" || ($5 == "LEAVE" && last == "RECV") { n++; zero += $3 == "+0" }
	{ last = $5 }
	END { print n == 24096 && n == zero ? "one" : n " " zero }')" one
is "times too long for a record come out whole" "$(tau-dump --only records "$T/plain.run" | awk '
	$4 != "ns" { next }
	$5 == "ENTER" { inside = $6 }
	inside == "joined()" && ($5 == "ENTER" || $5 == "RECV" || last == "SEND") && substr($3, 2) + 0 >= 300000 { n++ }
	{ last = $5 }
	END { print (n >= 80 ? "whole" : n) }')" whole
same rich --depth 5
expect rich
same groups --no-groups TAU_IO
same budget --budget 90
tap_end
