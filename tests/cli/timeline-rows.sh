# timeline-rows.sh: the timeline of a run of hundreds of ranks keeps the sums of its rows beside the run, and prints the same with and without.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
${CC:-cc} -O2 -I"$TOP" -o scale "$TOP/bench/scale.c" -lz 2>err || skip_all "cannot build the writer of traces: $(head -n 1 err)"
set -- $(./scale run 8000000 600 ranks)
ok "the run is long ($2 records)" test "$2" -gt 4000000
end=$3

# same WHAT OPTION...: with rows that are kept, and from the events, on three threads.
same() {
	what=$1
	shift
	tau-report timeline -f csv "$@" run >kept.csv 2>err || cat err
	mv run/*.rows .
	tau-report timeline -f csv -j 3 "$@" run >read.csv 2>err || cat err
	is "$what: no rows are kept for a part of the run" "$(ls run | grep -v tau$)" ""
	mv ./*.rows run
	ok "$what: the same from what is kept, $(($(wc -l <kept.csv) - 1)) rows" cmp kept.csv read.csv
	ok "$what: there are some" test "$(wc -l <kept.csv)" -gt 50
}

tau-report timeline -f csv --by region --cells 16384ns run >first.csv 2>err || cat err
is "the first picture keeps the rows" "$(ls run | grep -v tau$)" scale.0.rows
tau-report timeline -f csv --by region --cells 16384ns run >second.csv
ok "the second one is the same" cmp first.csv second.csv
mkdir parts
ln run/*.tau parts
tau-report timeline -f csv -j 3 --by region --cells 16384ns parts >parts.csv
ok "read by three threads, it is the same" cmp first.csv parts.csv
ok "and what they keep" cmp run/scale.0.rows parts/scale.0.rows
is "600 ranks share 60 rows" "$(cut -d, -f1 second.csv | sort -u | grep -c '\.\.')" 60
same "whole" -w "0ns:${end}ns" --by region --cells 16384ns
same "by group" -w "0ns:${end}ns" --cells 65536ns
half=$((end / 65536 * 32768))
same "a half" -w "0ns:${half}ns" --by region --cells 16384ns
same "the other half" -w "${half}ns:${end}ns" --by region --cells 16384ns
same "not on the grid" -w "$((half / 2 + 17))ns:${half}ns" --by region --cells 1024ns
same "smaller cells" -w "0ns:16384ns" --by region --cells 256ns
same "some ranks" --rank 20..590 --by region --cells 16384ns

# What is kept is what is printed: events that cannot be read any more are not missed.
touch -r run/scale.7.tau time
printf x | dd of=run/scale.7.tau bs=1 seek="$(($(wc -c <run/scale.7.tau) / 2))" conv=notrunc 2>/dev/null
touch -r time run/scale.7.tau
tau-report timeline -f csv --by region --cells 16384ns run >third.csv 2>err
ok "no event is read for it" cmp first.csv third.csv
rm run/*.rows
for again in 1 2; do
	tau-report timeline --by region --cells 16384ns run >out 2>&1
	ok "without it, the damage is met ($again)" grep -q "7.tau:.* not included" out
done
is "rows of a damaged run are not kept" "$(ls run | grep -v tau$)" ""
./scale long 8000000 2 ranks >/dev/null
printf x | dd of=long/scale.1.tau bs=1 seek="$(($(wc -c <long/scale.1.tau) / 2))" conv=notrunc 2>/dev/null
for again in 1 2; do
	tau-report timeline --cells 1 long >out 2>&1
	ok "nor are cells of a damaged stream ($again)" grep -q "1.tau:.* not included" out
done
is "those of the other one are" "$(ls long | grep -v tau$)" scale.0.cells
tap_end
