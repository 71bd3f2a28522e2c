#!/bin/sh
# check.sh [--renew] [ROW...]: instructions of the recorder per event, per call of MPI and per malloc and free, and of tau-trace2profile per event that it
# reads, against bench/check.table (make bench-check): more than 3 % above it fails. Counted is what a longer run executes more than a
# shorter one in our own libraries and programs; what they call of ISA-L, zlib, MPI and libc is not. The same compiler and options give
# the same counts on all machines of an architecture, so the table is by these. A compiler that is not in the table passes.
# --renew writes the rows of this compiler anew. ROW: only these (tiny, sqlite, mpi, malloc, replay).
. "$(dirname "$0")/common"
table=${TAU_BENCH_TABLE:-$TOP/bench/check.table}
most=3

skip() { echo "bench-check: not checked: $*"; exit 0; }
have valgrind || skip "valgrind is not installed"
case "${OPT:--O2}|$CPPFLAGS$CFLAGS$LDFLAGS$SAN" in
'-O2|') ;;
*) skip "the table is of -O2 and no other options" ;;
esac
case $($CC --version | head -n 1) in *clang*) kind=clang ;; *) kind=gcc ;; esac
key=$kind-$($CC -dumpfullversion -dumpversion | head -n 1)-$(uname -m)
renew=
[ "$1" != --renew ] || { renew=1 && shift; }
rows=" ${*:-tiny sqlite mpi malloc replay} "
[ "$renew" ] || grep -q "^$key " "$table" ||
	skip "$(basename "$table") has no rows of $key; where the counts are known to be good, sh bench/check.sh --renew adds them"

V="valgrind -q --tool=callgrind --callgrind-out-file=$T/cg.%p"
R="tau-record --no-names --sample=none -o $T/run"
# own PATTERN COMMAND...: instructions in objects whose names match, of the process that has most of them
own() {
	pattern=$1
	shift
	rm -rf "$T"/cg.* "$T/run"
	"$@" >"$T/out" 2>&1 || { cat "$T/out" >&2; die "failed under valgrind: $*"; }
	for f in "$T"/cg.*; do
		awk -v pattern="$pattern" '
			function object(s,    id) {	# "(1) /path" at the first time, then "(1)"
				id = s
				sub(/ .*/, "", id)
				if (id != s) { sub(/^[^ ]* /, "", s); ours[id] = s ~ pattern }
				return id
			}
			/^ob=/ { is = ours[object(substr($0, 4))]; next }
			/^cob=/ { object(substr($0, 5)); next }
			/^calls=/ { getline; next }
			is && /^[-+*0-9]/ { sum += $2 }
			END { printf "%.0f\n", sum }' "$f"
	done | sort -n | tail -n 1
}

# row NAME TITLE PATTERN RUN SHORT LONG: RUN is a function of a length that runs the program, and units
# has the events of each length. Of each length the least of three counts, because what happens at some time only adds.
less() { [ -n "$2" ] || exit 4; [ -n "$1" ] && [ "$1" -lt "$2" ] && echo "$1" || echo "$2"; }
: >"$T/rows"
row() {
	case $rows in *" $1 "*) ;; *) return ;; esac
	short= long=
	for round in 1 2 3; do
		short=$(less "$short" "$(own "$3" "$4" "$5")") || exit 4
		long=$(less "$long" "$(own "$3" "$4" "$6")") || exit 4
	done
	least=$(calc %.2f "($long - $short) / ($(units "$1" "$6") - $(units "$1" "$5"))")
	echo "$key $1 $least" >>"$T/rows"
	is=$(awk -v key="$key" -v name="$1" '$1 == key && $2 == name { print $3 }' "$table" 2>/dev/null)
	off= verdict="not in the table"
	if [ "$is" ]; then
		off=$(calc %+.1f "100 * ($least - $is) / $is")
		verdict=$(calc %s "($off > $most) ? \"MORE\" : ($off < -$most) ? \"less\" : \"as before\"")
	fi
	printf '%-44s %10s %10s %8s  %s\n' "$2" "${is:--}" "$least" "${off:+$off %}" "$verdict" | tee -a "$T/verdicts"
}
# units NAME LENGTH: what a run of that length has
units() {
	case $1 in
	tiny) echo $(($2 * 2000000)) ;;
	sqlite) HOOK_FILE=$T/events LD_PRELOAD=$W/hook2.so "$W/sqlite-hooked" --size "$2" --memdb >/dev/null 2>&1 && cat "$T/events" ;;
	replay) cat "$T/records.$2" ;;
	*) echo "$2" ;;
	esac
}
run_tiny() { $R $V "$W/tiny-hooked" "$1"; }
run_sqlite() { $R $V "$W/sqlite-hooked" --size "$1" --memdb; }
run_mpi() { mpirun -np 1 $R $V "$W/ring" "$1"; }
run_malloc() { $R -w memory $V "$W/alloc" pair "$1"; }
run_replay() { $V tau-trace2profile --no-index --format csv -o /dev/null "$T/trace.$1"; }

build_tools
$CC -O2 -o "$W/alloc" "$TOP/bench/alloc.c" || die "cannot build alloc"
$CC -O2 -I"$TOP" -o "$W/scale" "$TOP/bench/scale.c" -lz || die "cannot build the writer of traces"
ours='/libtau[^/]*\.so$'
printf '%-44s %10s %10s %8s\n' "instructions of $key" table now ""
row tiny "event of a tiny function" "$ours" run_tiny 1 2
if [ "${rows#* sqlite }" = "$rows" ]; then
	:
elif build_sqlite; then
	row sqlite "event of sqlite's speedtest1" "$ours" run_sqlite 1 2
else
	echo "event of sqlite's speedtest1: no source package (see $CACHE/sqlite.log); apt-get install dpkg-dev tcl"
fi
if have mpicc && have mpirun; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
	mpicc -O2 -o "$W/ring" "$TOP/bench/ring.c" || die "cannot build ring"
	row mpi "call of MPI_Sendrecv" "$ours" run_mpi 2000 12000
fi
row malloc "malloc and free" "$ours" run_malloc 50000 250000
for n in 1000000 3000000; do
	"$W/scale" "$T/trace.$n" $n | awk '{ print $2 }' >"$T/records.$n"
done
row replay "event in tau-trace2profile" '/tau-trace2profile$' run_replay 1000000 3000000

if [ "$renew" ]; then
	awk -v key="$key" 'NR == FNR { new[$2]; next } $1 != key || !($2 in new)' "$T/rows" "$table" >"$T/kept"
	sort "$T/kept" "$T/rows" >"$T/table" && cp "$T/table" "$table"
	exit
fi
if grep -q 'MORE$' "$T/verdicts"; then
	echo "bench-check: more than $most % above bench/check.table. If the reason is a good one: sh bench/check.sh --renew"
	exit 1
fi
! grep -q 'less$' "$T/verdicts" || echo "bench-check: less than in the table: sh bench/check.sh --renew keeps the gain"
