# report-memory.sh: what tau-report memory, memory-growth and memory-scaling by site print about made-up profiles and a real run.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/pes.sh"
unset TAUDB
cd "$T" || exit 1
for p in 2 4 8 16 32; do pes run.$p $p SITES=1; done
column() {
	printf '%s\n' "$1" | tr -d '\r' | awk -F , -v key="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) c = i } $1 == name && !done { print $c; done = 1 }'
}

is "memory: largest first, what is left, and all" "$(tau-report memory --top 2 run.4 2>&1)" \
"Memory by type: live bytes at the end of the window, the whole job
run.4: 4 PEs, window: everything.
The job: live 7.06 MiB in 1249 blocks, peak 7.10 MiB, allocated 7.79 MiB.

type                            live  share [%]                blocks  largest PE      peak  cumulative
--------------------------  --------  ---------  ------------  ------  ----------  --------  ----------
mca_btl_tcp_frag_max_t[]    4.00 MiB       56.7  ██████▉            4    1.00 MiB  4.00 MiB    4.00 MiB
mca_btl_tcp_frag_eager_t[]  2.00 MiB       28.3  ███▌               4     512 KiB  2.00 MiB    2.00 MiB
--------------------------  --------  ---------  ------------  ------  ----------  --------  ----------
others (13)                 1.06 MiB       15.0  █▉              1241              1.10 MiB    1.79 MiB
all                         7.06 MiB      100.0  ████████████    1249    1.76 MiB  7.10 MiB    7.79 MiB"
for by in type owner parent site all pe; do
	tau-report memory --by $by -f csv run.4 | tr -d '\r' | awk -F , -v by=$by '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bytes") c = i }
		NR > 1 { sum += last; last = $c } END { printf "%s %.0f\n", sum == last ? "sum" : "not the sum", last }'
done >sums
is "memory: by type, owner, parent, site, all and PE the rows add up to the same all" "$(sort -u sums)" "sum 7401976"
csv=$(tau-report memory --by site -f csv run.4)
is "memory by site: type and site" "$(printf '%s\n' "$csv" | tr -d '\r' | sed -n 's/^\(opal_list_t,.*,typed,[0-9]*\),.*/\1/p')" \
"opal_list_t,make [{list.c} {9}],typed,1536
opal_list_t,make [{list.c} {7}],typed,1088"
is "memory --per pe: means" "$(column "$(tau-report memory --per pe -f csv run.4)" bytes ompi_proc_t)" 480
is "memory --view cumulative" "$(column "$(tau-report memory --view cumulative -f csv run.4)" bytes opal_value_t)" 768000
is "memory by PE: the first has one list more" "$(tau-report memory --by pe -f csv run.4 | tr -d '\r' | cut -d, -f1,2)" \
"pe,bytes
0,1850542
1,1850478
2,1850478
3,1850478
all,7401976"

csv=$(tau-report memory-scaling --by site -f csv run.2 run.4 run.8 run.16)
is "memory-scaling by site: law of a site" "$(printf '%s\n' "$csv" | tr -d '\r' | awk -F , '$3 == "peers [{proc.c} {31}]" { print $1, $4 }')" \
	"ompi_proc_t typed"
is "memory-scaling by all: type, owner and site" "$(tau-report memory-scaling --by all --top 1 run.2 run.4 run.8 run.16 |
	awk '/^untyped.*mca_bml/ { $1 = $1; print }' | cut -c 1-111)" \
	"untyped [libopen-pal.so.40.30.2] mca_bml_base_endpoint_t grow [{bml.c} {5}] 7.81 KiB 15.6 KiB 31.2 KiB 62.5 KiB"

growth=$(tau-report memory-growth run.2 run.4 run.8 run.16 run.32)
is "memory-growth: the fewest rows that explain 90 %, with the law of each" \
	"$(printf '%s\n' "$growth" | awk '/^(untyped|opal_free|mca)/ { sub(/.*(typed|slab) /, ""); $1 = $1; print }' | head -2)" \
"7.81 KiB 125 KiB 117 KiB 62.9 8.0 128.0 O(P) per PE, so O(P^2) in the job: 4000 B x P
16.0 KiB 64.0 KiB 48.0 KiB 25.8 1.0 1.0 not credible: steps, not a curve"
like "memory-growth: and how much they explain" "$growth" '^The first [0-9]+ of [0-9]+ rows explain 9[0-9]\.[0-9] % of the growth\.$'
is "memory-growth: rows, others and all add up" "$(tau-report memory-growth -f csv run.2 run.32 | tr -d '\r' | sed 's/"[^"]*"//g' |
	awk -F , '$4 == "all" { all = $7 } $4 != "all" && NR > 1 { sum += $7 } END { print sum - all }')" 0
# Shares of what is known, from the rows: type, owner, neither.
known=$(tau-report memory-growth -f csv --top 0 run.2 run.32 | tr -d '\r' | sed 's/"[^"]*"/-/g' | awk -F , '
	NR > 1 && $4 != "all" && $4 != "sum" { s[$4 != "untyped" && $4 != "unaccounted" ? "typed" : $2 != "" ? "owned" : "none"] += $7; all += $7 }
	END { printf "%.1f %.1f", 100 * s["typed"] / all, 100 * s["owned"] / all }')
is "memory-growth: what is known of it" "$(tau-report memory-growth run.2 run.32 | sed -n 's/^Of the growth, \([0-9.]*\) % has a type, \([0-9.]*\) % .* and 0.0 % by.*/\1 \2/p')" "$known"
is "memory-growth of two: whole blocks for each PE are a law, other growth is none" \
	"$(tau-report memory-growth --top 0 run.2 run.8 | sed -n 's/^\(mca_btl_vader_endpoint_t\|opal_free_list_item_t\[\]\|ompi_proc_t\) .*  \([Ont].*\)/\1: \2/p')" \
"opal_free_list_item_t[]: too few counts for a model
mca_btl_vader_endpoint_t: O(P) per PE, so O(P^2) in the job: 1 block of 352 B more for each PE
ompi_proc_t: O(P) per PE, so O(P^2) in the job: 120 B x P"
is "memory-growth of many: what stays and what falls has an order, too" \
	"$(tau-report memory-growth --by type --top 0 run.2 run.4 run.8 run.16 run.32 | sed -n 's/^\(pmix_kval_t\|opal_list_t\|opal_value_t\) .*[0-9]  \([Onz].*\)/\1: \2/p')" \
"pmix_kval_t: O(1) per PE, so O(P) in the job: constant
opal_value_t: zero on every number of PEs
opal_list_t: O(1) per PE, so O(P) in the job: 640 B + 64 B x P^-1"
for p in 2 16; do pes shrink.$p $p SHRINK=1; done
shrink=$(tau-report memory-growth shrink.2 shrink.16)
like "memory-growth of a program that shrinks: both parts are named" "$shrink" \
	'^Of these: program and other libraries -3\.50 MiB, Open MPI and its libraries \+113 KiB\.$'
like "and what the runtime has gained is explained" "$shrink" '^untyped \[libopen-pal\.so\.40\.30\.2\] .* 54\.7 KiB +48\.5 '
is "and everything adds up" "$(tau-report memory-growth -f csv shrink.2 shrink.16 | tr -d '\r' | sed 's/"[^"]*"//g' |
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "growth") c = i; next } $1 != "all" { sum += $c } $1 == "all" { print $c - sum, $c < 0 }')" "0 1"
for p in 2 16; do pes many.$p $p MANY=1; done
rows() { tau-report memory-growth "$@" many.2 many.16 | sed -n '/^---/,$p' | sort; }
is "memory-growth --sort: the rows, others and all of the report without it" "$(rows --sort type)" "$(rows)"
is "which are more than 20" "$(rows --sort type | grep -c '^many_')" 29
is "memory-growth per job" "$(column "$(tau-report memory-growth --per job -f csv run.2 run.4)" growth all)" 3720192

for kind in "memory run.4" "memory --by pe run.4" "memory --view peak --by site run.4" "memory --by owner run.4" "memory --by stack run.4" \
	"memory-growth run.2 run.4" "memory-growth --by site run.2 run.4" "memory-scaling --by all run.2 run.4 run.8 run.16" \
	"memory-scaling --by parent --predict 1024 run.2 run.4 run.8 run.16 run.32"; do
	set -- $kind
	tau-report "$@" -f svg -o "picture.svg" || fail "$kind: ends with $?"
	if command -v xmllint >/dev/null; then ok "$kind: a picture" xmllint --noout picture.svg; else skip "$kind: a picture" "no xmllint"; fi
	is "$kind: piped, nothing is cut" "$(tau-report "$@" | grep -c '…')" 0
done

bad "two runs" 2 "memory needs one run, 2 were given" tau-report memory run.2 run.4
bad "the largest PE as a unit" 2 "--per: 'max' is not pe or job" tau-report memory --per max run.2
bad "times of a profile" 3 "run.2: only a recorded run has times" tau-report memory --by time run.2
bad "regions of a profile" 3 "run.2: it does not contain in which regions" tau-report memory --by region run.2
bad "an unknown way to look" 2 "--by: 'colour' is not type, owner, parent, site, all, pe, region, time or stack" tau-report memory --by colour run.2
bad "growth of one run" 2 "memory-growth needs runs with different numbers of PEs" tau-report memory-growth run.2
bad "growth of equals" 2 "memory-growth needs runs with different numbers of PEs" tau-report memory-growth run.2 run.2

# Names in pictures are short; the full names are in their titles, and tables never shorten.
tau-report memory --by site -f svg -o site.svg run.4
like "picture by site: file and line, and the whole site when pointed at" "$(cat site.svg)" \
	'<title>at peers \[\{proc\.c\} \{31\}\]</title>at peers \[proc\.c:31\]<'
tau-report memory --by pe -f svg -o pe.svg ./run.4
is "picture by PE: bars begin beside short names, and the run is not a path" \
	"$(sed -n 's/^<rect x="\([0-9]*\).*/\1/p' pe.svg | sort -nu | awk '{ print ($1 < 320) }') $(grep -c '>run.4, 4 PEs' pe.svg)" "1 1"
tau-report memory-scaling --by site -f svg -o site.svg run.2 run.4 run.8 run.16
like "picture of growth by site: the site has a line of its own" "$(cat site.svg)" '>ompi_proc_t<.*'
like "its title says by what" "$(cat site.svg)" '>What grows with the number of PEs, by type and site<'
is "no name is cut short where there is room" "$(grep -c '…' site.svg)" 0
like "--at is the window that ends there" "$(tau-report memory --at 50% run.4 2>&1; tau-report memory --at 1s -w : run.4 2>&1)" \
	'^tau-report: memory: --at and --window exclude each other'

# A run: over time, and where it was allocated.
ok "a program is recorded" tau-record -o truth --wrap memory "$B/apps/memtruth" 50 2
cp -r truth cut
truncate -s -1 cut/*.0.0.tau
tau-report memory cut >cut.txt 2>&1
is "memory: a note about a run names it once" "$(grep -c '^cut/[^ ]*:' cut.txt)/$(grep -c 'cut: cut' cut.txt)" 1/0
time=$(tau-report memory --by time -f csv truth)
is "by time: slices to the end of the run, and rows that add up" "$(printf '%s\n' "$time" | tr -d '\r' | awk -F , '
	NR == 1 { n = NF } NR > 1 { s = 0; for (i = 4; i <= NF; i++) s += $i; if (s != $2 || NF != n || $3 < $2 || $1 <= last) bad++; last = $1 }
	END { print NR - 1, bad + 0 }')" "120 0"
is "by region: rows add up to all" "$(tau-report memory --by region -f csv truth | tr -d '\r' | awk -F , '
	$1 == "all" { all = $2 " " $4 } NR > 1 && $1 != "all" { b += $2; n += $4 } END { print (b " " n == all), (b > 0) }')" "1 1"
ok "over time as a picture" tau-report memory -f svg -o time.svg truth
live_text() { tau-report memory "$@" truth | sed -n 's/.*: live \([0-9.]* [KMG]*i*B\) .*/\1/p'; }
live_picture() { tau-report memory "$@" -f svg truth | sed -n 's/.*>[^>]*: \([0-9.]* [KMG]*i*B\) live in the job.*/\1/p'; }
for at in 21.3% 33.7% 47.1% 58.9% 66.6% 71.9% 83.4% 92.7% 97.3% 99.1%; do
	[ "$(live_text --at $at)" = "$(live_picture --at $at)" ] || echo "$at: $(live_text --at $at), $(live_picture --at $at)"
done >differ
is "the picture has what is live at the end of the window, wherever its slices end" "$(cat differ) $(live_text)" " $(live_picture)"
if tau-report memory --by region -f csv truth >region.csv 2>err; then
	ok "regions as a picture" tau-report memory --by region -f svg -o region.svg truth
	is "with the regions of the table" "$(sed 1d region.csv | cut -d, -f1 | tr -d '"\r' | grep -v '^all$' | while read -r r; do grep -qF ">$r<" region.svg || echo "$r"; done)" ""
else
	fail "regions: $(cat err)"
fi
# A process of 8 MB ends in the last 24th of the run, and before its last 120th; another one has 1 MB up to the end.
cat >ends.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
int main(int n, char **v)
{
	double begin = now();
	char *p = malloc(n > 1 ? 8000000 : 1000000);

	memset(p, 1, 1000);
	if (n > 1)
		return usleep(1000000) + p[0] - 1;
	if (!fork())
		return execl(v[0], v[0], "child", (char *)0);
	wait(NULL);
	usleep((unsigned)((now() - begin) * 25000));
	return p[0] - 1;
}
C
cc -o ends ends.c
ok "a process that ends before the run is recorded" tau-record -o ends.run --wrap memory ./ends
is "over time: text has every fifth slice of the table, also at the end" \
	"$(tau-report memory ends.run | awk '$1 == "all" { print $6 }')" \
	"$(tau-report memory --by time -f csv ends.run | tr -d '\r' | awk -F , 'NR > 1 { v[NR - 1] = $2; most = $2 > most ? $2 : most }
		END {
			split("▁ ▂ ▃ ▄ ▅ ▆ ▇ █", level, " ")
			for (i = 5; i <= 120; i += 5)
				printf "%s", level[int(v[i] / most * 8 + 1 - 1e-9)]
		}')"
cat >hump.c <<'C'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char *p[64];

	for (int i = 0; i < 64; i++)
		memset(p[i] = malloc(1 << 20), 1, 1 << 20);
	for (int i = 0; i < 64; i++)
		free(p[i]);
	return 0;
}
C
cc -g -O0 hump.c -o hump && tau-record -o hump.run --wrap memory ./hump 2>/dev/null
like "memory that is freed before the end is named" "$(tau-report memory hump.run)" \
	'Most of the peak is no longer live at the end: untyped \[hump\] had 64.0 MiB, [0-9.]* % of the peak, and has 0 B. Try: tau-report memory --view peak'
is "not by the view of the peak, and not if most of it is live" \
	"$(tau-report memory --view peak hump.run | grep -c 'Most of')$(tau-report memory run.4 | grep -c 'Most of')" 00
is "--at: what was live at a time is what a window up to it says" \
	"$(tau-report memory --at 70% -f csv truth)" "$(tau-report memory -w :70% -f csv truth)"
# Two programs; one ends before half of the time of the other.
cat >hold.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t n = (size_t)atoi(argv[argc - 2]);
	char *block = malloc(n);

	memset(block, 1, n);
	usleep(1000 * (unsigned)atoi(argv[argc - 1]));
	return block[0] != 1;
}
C
cc -g -O0 hold.c -o hold && tau-record -o hold.run --wrap memory,process sh -c './hold 1000000 50 & ./hold 5000000 1500; wait' 2>/dev/null
# held OPTION...: live, and peak, of the blocks of that size.
held() { tau-report memory --by pe -f csv "$@" hold.run | tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR > 1 && $1 != "all" && $c["peak"] >= 1000000 { print int($c["bytes"] / 1000000) "/" int($c["peak"] / 1000000) }' | sort | tr '\n' ' '; }
is "--at: a process that ended before does not count, but its peak does" "$(held --at 80%)" "0/1 5/5 "
is "a window up to that time has its last value" "$(held -w :80%)" "1/1 5/5 "
is "the end of the run is not after the last process" "$(tau-report memory --at 100% hold.run | sed -n 's/^The job: //p')" \
	"$(tau-report memory --at 1h hold.run | sed -n 's/^The job: //p')"
like "the picture has the same" "$(tau-report memory --at 80% -f svg hold.run)" '4\.77 MiB live in the job'
ok "a program with stacks is recorded" tau-record -o stacks --memory=stacks "$B/apps/mempaths"
tau-report memory --by stack -f svg -o stack.svg stacks || fail "stacks as a picture: $?"
is "stacks as a picture: as many bytes as the table has" "$(sed -n 's/.*<title>all: \([^,]*\), 100.00 %.*/\1/p' stack.svg)" \
	"$(tau-report memory --by stack stacks | awk '$1 == "all" { print $2, $3 }')"
like "calls stand in it by their functions" "$(cat stack.svg)" '>main</text>'
like "a run without stacks reports it" "$(tau-report memory --by stack truth)" '^No call stacks recorded'
like "which says what was live" "$(cat time.svg)" "Memory over time, by type of object"
like "sparklines in text" "$(tau-report memory truth)" "live over time"
if command -v rsvg-convert >/dev/null; then
	ok "it can be drawn" rsvg-convert -o time.png time.svg
else
	skip "it can be drawn" "no rsvg-convert"
fi
tap_end
