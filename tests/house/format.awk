# format.awk: what of the headers of a file format a reader or writer depends on: macros, enums and structs without comments, and of the
# comments the words that name types of fields. Ends at the first function, or where the trace is described no more.
{ text = text $0 "\n" }

function code(s,    n, i, part, item) {
	n = split(s, part, "\n")
	for (i = 1; i <= n; i++) {
		item = part[i]
		gsub(/[ \t]+/, " ", item)
		gsub(/^ | $/, "", item)
		if (item != "" && item !~ /^#(include|ifndef|endif)|^_Static_assert|_H$/)
			print item
	}
}

function comment(s,    words) {
	gsub(/[*\n\t]/, " ", s)
	while (match(s, /varint|zigzag|strings?|f64|f32|request|[0-9]+ bytes?|u8|u16|u32|u64|i64/)) {
		words = words " " substr(s, RSTART, RLENGTH)
		s = substr(s, RSTART + RLENGTH)
	}
	if (words != "")
		print "\t:" words
}

END {
	if (match(text, /static inline|\nint [a-z_]+\(|#define TAU_SELECT_FILE/))
		text = substr(text, 1, RSTART - 1)
	while ((at = index(text, "/*"))) {
		code(substr(text, 1, at - 1))
		text = substr(text, at + 2)
		end = index(text, "*/")
		comment(substr(text, 1, end - 1))
		text = substr(text, end + 2)
	}
	code(text)
}
