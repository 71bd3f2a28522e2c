# declarations.awk -v header=NAME: of a preprocessed header its own declarations, one on each line and without bodies of functions.
/^# [0-9]+ "/ {
	file = $3
	gsub(/"/, "", file)
	own = substr(file, length(file) - length(header) + 1) == header
	next
}
own { text = text " " $0 }
function flush(    s) {
	s = out
	gsub(/[ \t]+/, " ", s)
	gsub(/^ | $/, "", s)
	gsub(/__attribute__ *\(\(visibility *\("default"\)\)\) */, "", s)
	if (s != "" && s != ";") print s
	out = ""
}
END {
	n = length(text)
	for (i = 1; i <= n; i++) {
		c = substr(text, i, 1)
		if (c == "{" && !depth && out ~ /\)[ \t]*$/ && out !~ /(struct|enum|union) [A-Za-z_0-9]*[ \t]*$/) body = 1
		if (c == "{") depth++
		if (!body) out = out c
		if (c == "}") {
			depth--
			if (!depth && body) { body = 0; out = out ";"; flush(); continue }
		}
		if (c == ";" && !depth && !body) flush()
	}
	flush()
}
