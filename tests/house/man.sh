# man.sh: man pages are correct mdoc, and their examples run. In the EXAMPLES section, a line
#
#   .Dl $ COMMAND
#
# is run by sh in a scratch folder, page by page from the first to the last, and must end with status 0. Each page finds there:
# ./app and ./app2 (two short programs with compiler hooks), ./shmem-app (a short OpenSHMEM program, GUPS), and the
# recordings ./run (of app), ./run2 and ./run4 (of shmem-app on 2 and 4 PEs, with memory). The tools are in PATH.
# An example that must fail ends in " || true". Examples with .Dl that do not begin with "$ " are not run.
. "$(dirname "$0")/../tap.sh"
export OMPI_MCA_memory=^patcher UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M
unset TAUDB

if command -v mandoc >/dev/null; then
	for page in "$TOP"/man/*.[1-9]; do
		is "$(basename "$page") is correct" "$(mandoc -T lint -W style "$page" 2>"$T/lint" | cat - "$T/lint" |
			grep -vE 'STYLE: (referenced manual not found|missing date|Mdocdate missing|input text line longer than 80 bytes)|outdated mandoc.db|lower case character in document title')" ""
	done
else
	skip "man pages are correct" "no mandoc"
fi

# Each function that tau.h declares has a row or a sentence in a page.
sed -n 's/^TAU_WEAK.*[ *]\(tau_[a-z_0-9]*\)(.*/\1/p' "$TOP/record/tau.h" | sort -u >"$T/declared"
grep -ohw 'tau_[a-z_0-9]*' "$TOP"/man/*.[1-9] | sort -u >"$T/described"
ok "tau.h declares functions" test "$(wc -l <"$T/declared")" -gt 50
is "each has its place in a man page" "$(comm -23 "$T/declared" "$T/described")" ""

examples() {
	awk '/^\.Sh / { on = /EXAMPLES/ } on && sub(/^\.Dl \$ /, "")' "$1" |
		sed 's/\\&//g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(dq/"/g; s/\\e/\\/g; s/\\(ti/~/g; s/\\(ha/^/g'
}

prepare() {
	rm -rf "$1" && mkdir "$1" && cd "$1" || exit 1
	cp "$B/apps/hooks" app && cp "$B/apps/threads" app2
	[ -d "$T/run" ] || tau-record -o "$T/run" ./app >/dev/null 2>"$T/err" || sed 's/^/# /' "$T/err"
	cp -r "$T/run" run
	[ -e "$B/apps/gups" ] || return 0
	cp "$B/apps/gups" shmem-app
	for n in 2 4; do
		[ -d "$T/run$n" ] || oshrun -np $n tau-record -o "$T/run$n" ./shmem-app >/dev/null 2>"$T/err" || sed 's/^/# /' "$T/err"
		cp -r "$T/run$n" run$n
	done
}

for page in "$TOP"/man/*.[1-9]; do
	name=$(basename "$page")
	examples "$page" >"$T/examples"
	if [ ! -s "$T/examples" ]; then
		case $name in tau-*.1) fail "$name has examples" ;; esac
		continue
	fi
	prepare "$T/scratch"
	while IFS= read -r line; do
		needs=
		case $line in *oshrun* | *mpirun* | *shmem-app* | *run2* | *run4*) needs=oshrun ;; esac
		if [ -n "$needs" ] && ! command -v $needs >/dev/null; then
			skip "$name: $line" "no Open MPI"
		elif sh -c "$line" >"$T/output" 2>&1 </dev/null; then
			pass "$name: $line"
		else
			fail "$name: $line"
			head -n 10 "$T/output" | sed 's/^/#   /'
		fi
	done <"$T/examples"
	cd "$TOP" || exit 1
done
# The functions that wrappers exclude, each with a row "skip NAME REASON", are those that the page names.
sed -n 's/^skip \([^ ]*\) .*/\1/p' record/wrap/*.list | sort >"$T/skipped"
sed -n '/^\.Ss Functions that are not recorded/,/^\.El/p' man/tau-sources.7 | grep '^\.\(It\|Li\) ' | tr ' ' '\n' |
	grep -iE '^(mpi|shmem)_' | sort >"$T/named"
is "tau-sources.7 names the functions that no wrapper records, and no others" "$(cat "$T/named")" "$(cat "$T/skipped")"
# Numbers and names of the records as the recorder writes them, and as the page of the format has them.
is "tau-trace(5) has each kind of record" "$(sed -n '/^Extended records follow/,/^\.El/s/^\.It \([0-9]*\) Ta \([A-Z0-9_]*\) Ta .*/\1 \2/p' man/tau-trace.5 | sort -n)" \
	"$(sed -n '/^enum tau_record_kind/,/^}/s/^[ \t]*TAU_REC_\([A-Z0-9_]*\) = \([0-9][0-9]*\),.*/\2 \1/p' record/format.h | sort -n)"
tap_end
