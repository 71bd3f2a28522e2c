# metadata.sh: the names of metadata, and of counters that several files use, are declared once, in record/metadata.h, and no other file spells one out.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1

header=record/metadata.h
sed -n 's/^#define TAU_\(META\|COUNTER\)_[A-Z_]*[ \t]*"\(.*\)"$/\2/p' $header >"$T/names"
ok "there are names" test -s "$T/names"
is "no name is declared twice" "$(sort "$T/names" | uniq -d)" ""
is "each line that defines one is of that form" "$(grep -c '^#define TAU_\(META\|COUNTER\)' $header)" "$(wc -l <"$T/names")"

# A string that is a name, or begins with "TAU " and a capital letter as they all do. Comments do not count, nor lines on which one
# ends that began above.
spelled() {
	find record analyze convert cmd db -name '*.[ch]' ! -path $header | xargs awk -v names="$T/names" '
		BEGIN { while ((getline n < names) > 0) known["\"" n "\""] = 1 }
		FNR == 1 { comment = 0 }
		{
			s = $0
			gsub(/\/\*.*\*\//, "", s)
			if (comment || s ~ /\/\*/) {
				comment = s !~ /\*\//
				next
			}
			for (; match(s, /"([^"\\]|\\.)*"/); s = substr(s, RSTART + RLENGTH)) {
				w = substr(s, RSTART, RLENGTH)
				if (w in known || w ~ /^"TAU [A-Z]/) print FILENAME ": " w
			}
		}'
}
is "no other file spells one out" "$(spelled)" ""

# Numbers of metadata are read by profile_meta_number() and trace_process_meta_number(). Other values are another's text: those of
# MPI's variables, and of profiles in TAU's formats.
read_as_text() {
	xargs grep -nE '(strto[a-z]+|scanf)\(([a-z_>.-]*(->|\.|\])value|[a-z_]*meta[a-z_]*\(|[a-z_>.-]*meta\[)|= *[a-z_]*meta[a-z_]*\([^;]*strto' |
		grep -vE '^(analyze/trace/trace|analyze/profile/profile|cmd/report/events/comm_variables|convert/tau/tau_metadata)\.c:'
}
is "metadata's numbers are read in one place" "$(find analyze cmd db convert -name '*.c' | read_as_text)" ""
printf 'sum += strtod(a->value, NULL);\nn = strtoull(p->meta[i].value, NULL, 10);\nx = strtod(profile_meta(p, 0, s), NULL);\nsscanf(p->meta[i].value, "%%d", &n);\n' >"$T/bad.c"
is "others are found" "$(echo "$T/bad.c" | read_as_text | wc -l | tr -d ' ')" 4
tap_end
