# pages.sh: tau(7), tau-tutorial(7) and the task pages show what happens. In a display of a page,
#
#	.Bd -literal ...
#	$ COMMAND
#	LINE
#	.Ed
#
# each command is run, page by page in a fresh folder, with what the page states that it needs: waves.cc, and its program waves. Then each LINE
# is a line of the output, after the one before; numbers, units, widths and bars may differ. "..." is any number of lines, and at the
# end of a line any text. A command that ends in a backslash goes on in the next line. In tau-task-migrate(7), where a line is
# "COMMAND OF ANOTHER TOOL  COMMAND OF OURS", the right ones are run.
. "$(dirname "$0")/../tap.sh"
unset TAUDB MAKEFLAGS MFLAGS	# of the make that runs the tests; pages have make, too
[ -z "$TAU_TEST_INSIDE" ] || skip_all "what programs are slow at is another thing with a sanitizer"
command -v mpirun >/dev/null && command -v mpicxx >/dev/null || skip_all "no Open MPI with C++"
export LC_ALL=C.UTF-8 HOME="$T"

mpicxx -g -O1 -o "$T/waves" "$TOP/fixtures/tutorial/waves.cc" || skip_all "mpicxx cannot compile it"
mkdir "$T/tau-tools" && ln -s "$TOP/fixtures" "$T/tau-tools/fixtures"

# What the displays of a page contain, one after the other.
displays() {
	awk '/^\.Ed/ { on = 0 } on; /^\.Bd -literal/ { on = 1 }' "$1" |
		sed 's/\\&//g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(dq/"/g; s/\\e/\\/g; s/\\(ti/~/g; s/\\(ha/^/g'
}
# Lines with what differs from run to run replaced. Who waits depends on other work on the processors.
shape() {
	sed -E 's/[▁▂▃▄▅▆▇█▏▎▍▌▋▊▉]+//g; s/ranks? [0-9]+((, | and )[0-9]+)* (before|in) (MPI_[A-Za-z]+\(\)) makes? (each other|rank [0-9]+) wait/WAIT \4/
		s|[./{][^ ]*/||g; s/\(host [^ ,]+/(host HOST/; s/[<]?[0-9]+(\.[0-9]+)?/#/g; s/# ([KM]?i?B|[num]?s|min)\b/#/g; s/-{2,}/--/g; s/[[:space:]]+/ /g; s/ $//' "$@" |
		sed -E 's/#(, ?#)+/#/g; s/(# ){2,}/# /g'
}
# The lines of the file $1 that do not follow each other in the file $2. Findings come in any order: what costs most is another one with
# other work on the processors.
missing() {
	awk 'NR == FNR { out[++n] = $0; next }
		$0 == "..." || $0 == "" { next }
		{ want = $0; cut = sub(/ ?\.\.\.$/, "", want)
		  for (i = want ~ /^ ?#\. / ? 1 : at + 1; i <= n && !(cut ? index(out[i], want) == 1 : out[i] == want); i++);
		  if (i > n) print; else at = i }' "$2" "$1"
}
# One try of a page: "ok", "not ok" or "#", and what.
try_page() {
	rm -rf "$T/page" && mkdir "$T/page" && cd "$T/page" || exit 1
	case $1 in */tau-tutorial.7 | */tau-task-regression.7) ;; *) cp "$T/waves" "$TOP/fixtures/tutorial/waves.cc" . ;; esac
	displays "$1" >"$T/displays"
	case $1 in */tau-task-migrate.7)
		cp waves app
		sed -nE 's/^.*  +((export |cd |tau-|mpirun ).*)$/$ \1/p' "$T/displays" >"$T/commands" && mv "$T/commands" "$T/displays" ;;
	esac
	command=
	while IFS= read -r line <&4; do
		case $line in
		'$ '*)
			judge
			command=${line#??}
			while case $command in *'\') ;; *) false ;; esac && IFS= read -r line <&4; do command="${command%?} $line"; done
			: >"$T/expected"
			eval "$command" >"$T/output" 2>&1 </dev/null 4<&-
			status=$? ;;
		*) printf '%s\n' "$line" >>"$T/expected" ;;
		esac
	done 4<"$T/displays"
	judge
	cd "$TOP" || exit 1
}
judge() {
	[ -n "$command" ] || return
	shape "$T/output" >"$T/shapes"
	shape "$T/expected" >"$T/lines"
	missing "$T/lines" "$T/shapes" >"$T/missing"
	if [ $status -ne 0 ] || [ -s "$T/missing" ]; then
		echo "not ok $command (status $status)"
		sed 's/^/# not there: /' "$T/missing"
		head -n 60 "$T/output" | cut -c1-200 | sed 's/^/#   /'
	else
		echo "ok $command"
	fi
}

for page in "$TOP"/man/tau.7 "$TOP"/man/tau-tutorial.7 "$TOP"/man/tau-task-*.7; do
	name=$(basename "$page")
	case " ${PAGES:-$name} " in *" $name "*) ;; *) continue ;; esac
	# Other work on the processors makes findings differ: a try that fails is followed by two more.
	for try in 1 2 3; do
		try_page "$page" >"$T/tried"
		grep -q '^not ok' "$T/tried" || break
	done
	ok "$name shows commands" grep -q '^\(not \)\?ok ' "$T/tried"
	while IFS= read -r line; do
		case $line in
		'ok '*) pass "$name: ${line#ok }" ;;
		'not ok '*) fail "$name: ${line#not ok }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$T/tried"
done
tap_end
