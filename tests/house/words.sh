# words.sh: messages, help, man pages, README, NEWS and comments use the field's plain terms: none of the words listed here.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

# pattern (extended, whole words, any case)	what to write instead
list() {
	cat <<-'END'
	behind	after, following
	tells?|told	reports, prints, shows; distinguishes; records
	(is|are|be|was|were) said|says?	reports, prints
	nobody|whoever	the process, thread, caller or user
	(keep|keeps|kept|leave|leaves|left) out	exclude, filter
	passed by|passes by	exclude, skip
	so many|as many as	at most N, is limited to N
	(made|makes?) use of	uses
	cannot be had|can be had|is to be had	unavailable, available
	stands?	is, contains, holds
	lies	is
	hangs? on	depends on
	in no number	not included
	one a (thread|pe|process|call)	one per ...
	asked for|meant	requested, selected
	stretch(es)?|sheets?|web	span, profile, graph
	(is|are) no (number|period|size|share|profile|utf-8)s?	is not a ...
	who holds	what holds
	END
}
patterns=$(list | cut -f 1 | tr '\n' '|' | sed 's/|$//')
list >"$T/list"
# Lines with such a word, each with the word and what to write instead.
found() {
	grep -inE "(^|[^A-Za-z_-])($patterns)([^A-Za-z_-]|\$)" | awk -F '\t' '
		NR == FNR { pattern[++n] = "(^|[^a-z_-])(" $1 ")([^a-z_-]|$)"; write[n] = $2; next }
		{ for (i = 1; i <= n; i++) if (match(tolower($0), pattern[i])) {
			word = substr($0, RSTART, RLENGTH); gsub(/^[^A-Za-z]|[^A-Za-z]$/, "", word)
			$0 = $0 " [" word ": write " write[i] "]" }
		print }' "$T/list" -
}

# String literals of C files that are sentences or parts of them, as FILE:LINE: TEXT; neighbours are one. No sentences: includes,
# comments, assertions, the keys of metadata (two words with capitals first) and texts without a blank.
strings_of() {
	awk 'function flush() {
			if (s ~ / / && s !~ /^[A-Z][A-Za-z]* [A-Z]/) { gsub(/\001/, "\"", s); print at ": " s }
			s = ""
		}
		FNR == 1 { flush(); comment = 0 }
		/^[ \t]*#[ \t]*include/ || /assert\(/ { next }
		{ line = $0; gsub(/\\"/, "\001", line); gsub(/\047"\047/, "", line)
		if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
		while (match(line, /"[^"]*"|\/\*|[^ \t"\\\/]+|[\/\\]/)) {
			word = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
			if (word ~ /^"/) { if (s == "") at = FILENAME ":" FNR; s = s substr(word, 2, length(word) - 2) }
			else if (word == "/*") { if (!sub(/^.*\*\//, "", line)) { comment = 1; next } }
			else if (word != "\\") flush()
		} }
		END { flush() }' "$@"
}
# The names of events in text_names.c are a format.
is "messages and help" "$(strings_of $(find analyze convert db cmd record -name '*.[ch]' ! -name text_names.c) | found |
	cut -d : -f 2- | head -n 20)" ""
# What the scripts that users start print.
is "scripts" "$(grep -HnE '^[^#]*(echo|printf) ' fixtures/*.sh tests/deps.sh | found | head -n 10)" ""
# Comments of C files, as FILE:LINE: TEXT.
comments_of() {
	awk 'FNR == 1 { comment = 0 }
		{ line = $0; gsub(/\\"/, "", line); gsub(/\047"\047/, "", line); text = ""
		while (line != "") {
			if (comment) {
				if (!match(line, /\*\//)) { text = text line; break }
				text = text substr(line, 1, RSTART - 1); line = substr(line, RSTART + 2); comment = 0
			} else if (!match(line, /"[^"]*"|\/\*|\/\//)) break
			else {
				word = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
				if (word == "//") { text = text line; break }
				comment = word == "/*"
			}
		}
		if (text != "") print FILENAME ":" FNR ":" text }' "$@"
}
# The folders of programs, libraries and their tools.
commented="analyze bench cmd convert db fixtures record tests"
is "comments" "$(comments_of $(find $commented -name '*.[ch]' -o -name '*.cc') | found | cut -d : -f 2- | head -n 20)" ""
# Scripts, SQL, lists of wrappers and the Makefile.
is "comments of scripts" "$(find $commented Makefile -type f ! -name '*.[ch]' ! -name 'README*' -exec grep -IHnE '^[ 	]*(#|--)[^!]' {} + |
	found | cut -d : -f 2- | head -n 10)" ""
# Without macros' names, literals and examples.
for page in man/*.[1-9] NEWS HACKING.md CONTRIBUTING.md SECURITY.md $(find README.md $commented -name 'README*'); do
	is "$page" "$(grep -vE '^\.(Li|Dl|Ev|Pa|Sx|Nm|Fl|\\")|^    |^```' "$page" | found | head -n 10)" ""
done
# Functions print, write, request and release; they parse, receive, claim, apply or remove. "Takes part" is no taking.
functions() { grep -hoE '^[a-z][a-z_0-9 *]*[ *][a-z_0-9]+\([^;]*$' "$@" | sed 's/(.*//; s/.*[ *]//'; }
vague() { functions "$@" | grep -E '(^|_)(says?|said|tells?|told|asks?|asked|gives?|given|takes?|taken)(_|$)' | grep -vx takes_part; }
is "functions have precise verbs" "$(vague $(find analyze convert db cmd record -name '*.[ch]'))" ""
is "so have pointers to functions" "$(grep -nE '\(\*(say|tell|ask|give|take)\)\(' $(find analyze convert db cmd record -name '*.[ch]'))" ""
# The check finds what it looks for.
cat >"$T/bad.c" <<'END'
/* what is said here is a comment */
f("it stands "
  "there"); g("TAU Files Left Out"); h("asked " /* told */
	    "for");
END
is "strings over two lines are found, comments and keys are not" "$(strings_of "$T/bad.c" | found | sed 's/^.*bad.c//')" ":2: it stands there [stands: write is, contains, holds]
:3: asked for [asked for: write requested, selected]"
printf 'static int part_give(int a)\n{\n\tpart_ask(a);\n' >"$T/worse.c"
is "definitions of functions are found" "$(vague "$T/worse.c")" part_give
is "comments are found, texts are not" "$(comments_of "$T/bad.c" | found | sed 's/^.*bad.c//')" ":1: what is said here is a comment  [is said: write reports, prints]
:3: told  [told: write reports, prints, shows; distinguishes; records]"
tap_end
