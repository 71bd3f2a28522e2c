# deep-paths.sh: the text of call paths of a deep recursion is limited, and its times and calls add up.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
unset TAUDB
cat >deep.c <<'END'
#include <stdlib.h>
volatile int sum;
__attribute__((noinline)) void leaf(int i) { sum += i; }
__attribute__((noinline)) void odd(int n);
__attribute__((noinline)) void even(int n) { if (n) odd(n - 1); leaf(n); }
__attribute__((noinline)) void odd(int n) { if (n) even(n - 1); leaf(n); }
int main(int argc, char **argv) { even(argc > 1 ? atoi(argv[1]) : 0); return 0; }
END
cc -O0 -finstrument-functions -o deep deep.c || exit 1
tau-record -o run ./deep 4000 2>err || fail "cannot record: $(cat err)"
# small FILE: the whole text of 4,000 levels has 70 MB and more.
small() { [ "$(wc -c <"$1")" -lt 15000000 ] && [ -s "$1" ] && echo small || wc -c <"$1"; }
tau-trace2profile -c -f folded run >run.folded 2>note
is "folded stacks are small" "$(small run.folded)" small
like "what was added up is counted" "$(cat note)" 'run: [0-9]+ call paths of more than 1000 levels are added up: they have the first 1000 regions and the last one'
is "their longest stack: the first 1000 levels and the last one" "$(awk -F ';' '{ if (NF > most) most = NF } END { print most }' run.folded)" 1001
whole=$(tau-trace2profile -f csv run | tr -d '\r"' | awk -F , '$5 == "timer" { s += $10 } END { printf "%.0f\n", s * 1000 }')
is "their sum is the time of all regions" "$(awk '{ s += $NF } END { printf "%.0f\n", s }' run.folded)" "$whole"
ok "they are read again" tau-convert run.folded run.ppk
tau-trace2profile -c -f csv run 2>note | tr -d '\r"' >run.csv
is "CSV is small" "$(small run.csv)" small
is "calls of leaf by its call paths, and of its own row" "$(awk -F , '$5 == "timer" && $6 ~ /=> leaf$/ { n += $8 } END { print n }' run.csv)" \
	"$(awk -F , '$5 == "timer" && $6 == "leaf" { print $8 }' run.csv)"
tau-trace2profile -c -f json run >run.json 2>note
is "JSON is small" "$(small run.json)" small
tau-trace2profile -c -f snapshot run >run.xml 2>note
is "a snapshot is small" "$(small run.xml)" small
tau-report tree --cut 0 --top 0 -f csv run >tree.csv 2>note
is "tree is small" "$(small tree.csv)" small
is "callers still has each call" "$(tau-report callers leaf -f csv run 2>/dev/null | tr -d '\r"' | awk -F , '$1 == "called by" { print $5, $6 }' | sort | tr '\n' ' ')" \
	"2000 odd 2001 even "
tau-db import --db x.db run >/dev/null 2>note
is "a database is small" "$(small x.db)" small
is "a depth that is asked for is as it was" "$(tau-trace2profile --callpath=10 -f csv run 2>note | awk -F ' => ' '{ if (NF > most) most = NF } END { print most }') $(wc -c <note)" "10 0"
tap_end
