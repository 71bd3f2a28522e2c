# units.sh: each header of analyze/ and convert/ that several files include has a unit test: a file in tests/unit/ uses one of its functions. The tests
# that take long exist.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

find analyze convert db cmd -name '*.[ch]' | sort >"$T/files"
# "HEADER N": headers that N > 1 files include.
xargs sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' <"$T/files" | sort | uniq -c |
	awk '$1 > 1 && $2 ~ /^(analyze|convert)\/.*\.h$/ { print $2, $1 }' >"$T/headers"

# untested TEST...: the headers whose functions none of the tests uses. Headers without functions do not count, nor comments and macros.
untested() {
	awk '
	function uncommented(s,    out) {
		while (s != "") {
			if (comment) {
				if (!match(s, /\*\//)) return out
				s = substr(s, RSTART + 2); comment = 0
			} else if (match(s, /\/\*/)) {
				out = out substr(s, 1, RSTART - 1); s = substr(s, RSTART + 2); comment = 1
			} else { out = out s; s = "" }
		}
		return out
	}
	FNR == 1 { comment = macro = 0 }
	{ line = uncommented($0) }
	macro || line ~ /^[ \t]*#/ { macro = line ~ /\\$/; next }
	made {
		while (match(line, /[a-z_][a-z0-9_]*/)) { used[substr(line, RSTART, RLENGTH)]; line = substr(line, RSTART + RLENGTH) }
		next
	}
	{
		while (match(line, /[a-z_][a-z0-9_]*\(/)) {
			name = substr(line, RSTART, RLENGTH - 1); line = substr(line, RSTART + RLENGTH)
			if (name !~ /^(sizeof|defined|if|for|while|switch|return|format|__.*)$/) has[FILENAME] = has[FILENAME] " " name
		}
	}
	END {
		for (h in has) {
			n = split(has[h], f, " "); found = 0
			for (i = 1; i <= n; i++) found += f[i] in used
			if (!found) print h
		}
	}' $(cut -d ' ' -f 1 "$T/headers") made=1 "$@" | sort
}

like "headers that several files include are found" "$(wc -l <"$T/headers")" '[0-9][0-9][0-9]'
untested tests/unit/*.c tests/*.h >"$T/untested"
is "each has a unit test" "$(cat "$T/untested")" ""
# The check finds what it looks for.
like "without tests they are all found" "$(untested /dev/null | wc -l)" '^ *[0-9][0-9][0-9]$'
is "each test in tests/long exists" "$(while read -r test; do [ -f "$test" ] || echo "$test"; done <tests/long)" ""
tap_end
