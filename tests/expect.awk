# expect.awk: compares what a program prints about itself with the profile of its trace. Usage:
#
#   awk -f tests/expect.awk TRUTH PROFILE.csv
#
# TRUTH is the program's output; lines that do not begin with EXPECT are ignored. PROFILE.csv is what tau-trace2profile
# --callpath=2 --format csv wrote. For every line of truth one line is printed: "pass WHAT" or "fail WHAT (got ...)".
#
#   EXPECT region NAME calls N              calls of a region
#   EXPECT nested A => B calls N            calls of B from A; longer paths need a deeper --callpath
#   EXPECT event NAME n N [sum S] [max M] [min M]    samples of an event or counter; "sum" is mean x n
#   EXPECT absent region|event NAME         it has no row at all
#   EXPECT node N thread T region ...       any of the first three, of one node (rank) and thread only; either may
#                                           be missing. Without them a line is about all threads of all nodes
#   EXPECT meta NAME=VALUE                  left to tests/expect.sh
#
# Lines of the same subject add up (max and min: the largest, the smallest), so every process and thread prints what it
# did itself. N may be A..B: any number from A to B. NAME is the name without source position, and may hold
# blanks. 0 also means: no such row. Sums agree when they differ by less than one part in 1e12.

# Splits one line of CSV (RFC 4180) into field[1..]; returns how many.
function split_csv(line,	n, c, i, quoted) {
	for (i in field)
		delete field[i]
	n = 1
	field[1] = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (quoted) {
			if (c != "\"")
				field[n] = field[n] c
			else if (substr(line, i + 1, 1) == "\"") {
				field[n] = field[n] c
				i++
			} else
				quoted = 0
		} else if (c == "\"")
			quoted = 1
		else if (c == ",")
			field[++n] = ""
		else
			field[n] = field[n] c
	}
	return n
}

# Takes "calls N" or "n N sum S ..." off the end of s into want[]; leaves the name. Returns 0 if there is nothing to take.
function split_wants(s,	words, w, k) {
	for (k in want)
		delete want[k]
	words = split(s, w, " ")
	while (words > 2 && w[words - 1] ~ /^(calls|n|sum|max|min)$/ && w[words] ~ /^[-+0-9.e]+$/) {
		want[w[words - 1]] = w[words]
		words -= 2
		if (("calls" in want) || ("n" in want))
			break
	}
	if (!("calls" in want) && !("n" in want))
		return 0
	subject = w[1]
	for (k = 2; k <= words; k++)
		subject = subject " " w[k]
	return 1
}

function add_range(have, more,	a, b) {
	if (have == "")
		return more
	if (have !~ /\.\./ && more !~ /\.\./)
		return have + more
	split(have ".." have, a, /\.\./)
	split(more ".." more, b, /\.\./)
	return (a[1] + b[1]) ".." (a[2] + b[2])
}

function complain(why) {
	printf "fail %s (%s)\n", $0, why
	bad = 1
}

{ sub(/\r$/, "") }

FNR == NR && /^EXPECT meta / { next }

FNR == NR && /^EXPECT / {
	text = substr($0, 8)
	place = ""
	while (match(text, /^(node|thread) [0-9]+ /)) {
		place = place substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
	}
	if (text ~ /^absent (region|event) /) {
		key = place text
		absent[key] = 1
	} else if (text ~ /^(region|nested|event) / && split_wants(text)) {
		key = place subject
		if ("calls" in want)
			calls[key] = add_range(calls[key], want["calls"])
		else
			count[key] = add_range(count[key], want["n"])
		if ("sum" in want)
			sum[key] += want["sum"]
		if ("max" in want && (!(key in max) || want["max"] + 0 > max[key]))
			max[key] = want["max"] + 0
		if ("min" in want && (!(key in min) || want["min"] + 0 < min[key]))
			min[key] = want["min"] + 0
	} else {
		complain("this line is not understood")
		next
	}
	if (!(key in seen)) {
		seen[key] = 1
		order[++keys] = key
	}
	next
}

FNR == NR { next }

FNR == 1 {
	columns = split_csv($0)
	for (i = 1; i <= columns; i++)
		column[field[i]] = i
	if (!("name" in column) || !("calls" in column) || !("n" in column)) {
		print "fail the profile has the columns name, calls and n (got " $0 ")"
		exit
	}
	next
}

# One row of the profile: adds it to what was got for the four places that it belongs to.
{
	split_csv($0)
	name = field[column["name"]]
	while (match(name, / \[\{[^}]*\}( \{[0-9,-]*\}(-\{[0-9,-]*\})?)?\]/))
		name = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH)
	if (field[column["kind"]] != "timer")
		name = "event " name
	else if (index(name, " => "))
		name = "nested " name
	else
		name = "region " name
	at[1] = ""
	at[2] = "node " field[column["node"]] " "
	at[3] = "thread " field[column["thread"]] " "
	at[4] = at[2] at[3]
	n = field[column["n"]] + 0
	for (i = 1; i <= 4; i++) {
		key = at[i] name
		rows[key]++
		if (!(key in seen))
			continue
		got_calls[key] += field[column["calls"]]
		if (n > 0) {
			got_n[key] += n
			got_sum[key] += field[column["mean"]] * n
			if (!(key in got_max) || field[column["max"]] + 0 > got_max[key])
				got_max[key] = field[column["max"]] + 0
			if (!(key in got_min) || field[column["min"]] + 0 < got_min[key])
				got_min[key] = field[column["min"]] + 0
		}
	}
}

function near(a, b,	d, m) {
	d = a - b
	m = (a < 0 ? -a : a) + (b < 0 ? -b : b)
	return (d < 0 ? -d : d) <= m * 1e-12
}

function inside(value, range,	r) {
	split(range ".." range, r, /\.\./)
	return value + 0 >= r[1] + 0 && value + 0 <= r[2] + 0
}

# Adds one comparison to the verdict on the current key.
function judge(what, wanted, value, good) {
	verdict = verdict " " what " " wanted
	if (!good)
		wrong = wrong (wrong ? ", " : "") what " " (value == "" ? 0 : value)
}

END {
	for (i = 1; i <= keys; i++) {
		key = order[i]
		verdict = key
		wrong = ""
		if (key in calls)
			judge("calls", calls[key], got_calls[key], inside(got_calls[key], calls[key]))
		if (key in count)
			judge("n", count[key], got_n[key], inside(got_n[key], count[key]))
		if (key in sum)
			judge("sum", sprintf("%.17g", sum[key]), sprintf("%.17g", got_sum[key]), near(sum[key], got_sum[key]))
		if (key in max)
			judge("max", max[key], got_max[key], near(max[key], got_max[key]))
		if (key in min)
			judge("min", min[key], got_min[key], near(min[key], got_min[key]))
		if (key in absent) {
			name = key
			sub(/absent /, "", name)
			if (rows[name])
				wrong = rows[name] " rows"
		}
		print (wrong ? "fail " : "pass ") verdict (wrong ? " (got " wrong ")" : "")
	}
	if (!keys)
		print "fail the program prints what its trace must show (got no EXPECT line)"
}
