# queries.awk: makes of queries.sql the rows of a C table (default), or with -v out=man the manual page tau-queries(7).

function c_string(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}

function roff(s) {
	gsub(/\\/, "\\e", s)
	gsub(/'/, "\\(aq", s)
	sub(/^\./, "\\\\\\&.", s)
	return s
}

function finish_c(i, n, line) {
	printf "{ %s,\n  %s,\n  DB_NEEDS_%s,\n  {\n", c_string(name), c_string(question), toupper(needs)
	for (i = 1; i <= parameters; i++)
		printf "    { %s, DB_PARAMETER_%s, %d, %s },\n", c_string(parameter[i]), toupper(type[i]),
			required[i], c_string(about[i])
	print "  },\n  {"
	for (i = 1; i <= columns; i++)
		printf "    { %s, %s },\n", c_string(column[i]), c_string(meaning(column[i]))
	print "  },"
	n = split(sql, line, "\n")
	for (i = 1; i < n; i++)
		print "  " c_string(line[i]) " \"\\n\""
	print "},"
}

function finish_man(i, n, line) {
	printf ".Ss %s\n%s\n", name, question
	if (needs == "threads")
		print "A summary has no rows."
	if (parameters) {
		print ".Bl -tag -width application"
		for (i = 1; i <= parameters; i++)
			printf ".It Cm %s\n%s.\n", parameter[i], about[i]
		print ".El"
	}
	print "Columns:\n.Bl -tag -width application -compact"
	for (i = 1; i <= columns; i++)
		printf ".It Li %s\n%s\n", column[i], roff(meaning(column[i]))
	print ".El\n.Bd -literal"
	n = split(sql, line, "\n")
	for (i = 1; i < n; i++)
		print roff(line[i])
	print ".Ed"
}

# What a column of the query is.
function meaning(column) {
	if ((name "." column) in meanings)
		return meanings[name "." column]
	if (!(column in meanings)) {
		print "queries.awk: query " name ": column " column " has no sentence" >"/dev/stderr"
		failed = 1
	}
	return meanings[column]
}

# The query that has been read.
function finish() {
	if (name != "" && out == "man")
		finish_man()
	else if (name != "")
		finish_c()
	name = part = sql = ""
	parameters = columns = 0
	needs = "nothing"
}

# Where a line of SQL is broken so that a page of 80 columns has it: the last place before a keyword, otherwise after a comma or a blank.
# No place is inside a quoted text. 0: there is none.
function break_at(s, i, c, quoted, blank, comma, word) {
	match(s, /^ */)
	for (i = RLENGTH + 1; i <= WIDTH; i++) {
		c = substr(s, i, 1)
		if (c == "'")
			quoted = !quoted
		if (quoted || c != " ")
			continue
		blank = i
		if (substr(s, i - 1, 1) == ",")
			comma = i
		if (i > WIDTH / 3 && substr(s, i + 1) ~ /^(AND|OR|FROM|WHERE|JOIN|LEFT|CROSS|GROUP|ORDER|LIMIT|UNION|THEN|ELSE|WHEN)[ (]/ &&
			substr(s, 1, i) !~ /CROSS $/)
			word = i
	}
	return word ? word : comma > WIDTH / 3 ? comma : blank
}

# indent: that of the lines that follow; empty: not known yet.
function broken(s, indent, at) {
	if (length(s) <= WIDTH || !(at = break_at(s)))
		return s
	if (indent == "") {
		match(s, /^ */)
		indent = substr(s, 1, RLENGTH) "    "
	}
	return substr(s, 1, at - 1) "\n" broken(indent substr(s, at + 1), indent)
}

# A line of SQL, of the query or of the part, with the parts that it contains.
function add(s, used, n, i, line) {
	while (match(s, /@[a-z]+/)) {
		used = substr(s, RSTART + 1, RLENGTH - 1)
		if (!(used in parts)) {
			print "queries.awk: " FILENAME ": line " FNR ": there is no part " used >"/dev/stderr"
			exit 1
		}
		s = substr(s, 1, RSTART - 1) parts[used] substr(s, RSTART + RLENGTH)
	}
	if (name != "") {
		n = split(s, line, "\n")
		for (i = 1; i <= n; i++)
			sql = sql broken(line[i], "") "\n"
	}
	else if (part != "")
		parts[part] = parts[part] (parts[part] == "" ? "" : "\n") s
}

# The page is kept: only what is between its two marks is made anew.
BEGIN {
	WIDTH = 74
	begin = ".\\\" made from db/queries.sql: begin"
	end_mark = ".\\\" made from db/queries.sql: end"
	while (out == "man" && line != begin && (getline line < head) > 0)
		print line
}

/^-- part: / { finish(); part = $3; next }
/^-- query: / { finish(); name = $3; next }
/^-- \? / { question = substr($0, 6); next }
/^-- = / {
	sub(/:$/, "", $3)
	key = $3
	sub(/^-- = [^ ]* /, "")
	meanings[key] = $0
	next
}
/^-- columns: / {
	columns = NF - 2
	for (i = 1; i <= columns; i++)
		column[i] = $(i + 2)
	next
}
/^-- needs: / { needs = $3; next }
/^-- :/ {
	parameter[++parameters] = substr($2, 2)
	type[parameters] = $3
	required[parameters] = sub(/!$/, "", type[parameters])
	about[parameters] = $4
	for (i = 5; i <= NF; i++)
		about[parameters] = about[parameters] " " $i
	next
}
/^--/ || /^$/ { next }
{ add($0) }

END {
	finish()
	if (failed)
		exit 1
	while (out == "man" && (getline line < head) > 0) {
		after = after || line == end_mark
		if (after)
			print line
	}
}
