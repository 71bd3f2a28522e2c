# prototypes.awk: the functions of MPI that a header declares, one prototype on a line: cpp mpi.h | prototypes.awk. Those with variable
# arguments or pointers to functions without a type's name are not among them: the list has rows for those that there are.

# Without "__attribute__((...))", whose parentheses are nested.
function plain(s,    at, i, depth, c) {
	while ((at = match(s, /__attribute__/))) {
		depth = 0
		for (i = at + RLENGTH; i <= length(s); i++) {
			c = substr(s, i, 1)
			depth += (c == "(") - (c == ")")
			if (c == ")" && !depth)
				break
		}
		s = substr(s, 1, at - 1) " " substr(s, i + 1)
	}
	return s
}
/^#/ { next }
{ text = text " " $0 }
END {
	n = split(text, declaration, ";")
	for (i = 1; i <= n; i++) {
		d = plain(declaration[i])
		gsub(/[ \t]+/, " ", d)
		sub(/^ *(extern )?/, "", d)
		sub(/ *$/, "", d)
		if (d ~ /^int MPI_(T_)?[A-Za-z][a-z][A-Za-z_0-9]* ?\([^().]*\)$/)
			print d
	}
}
