# cluster.sh: tau-report cluster finds planted groups of ranks, and finds none where there are none.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# made DIR RANKS KIND: TAU profiles of five regions. Their shares on rank r are those of its group, with noise of NOISE.
#   two: ranks 2, 3, 4 and from 20 on solve, the others assemble; three: by r % 3; one: none, with even noise; same: no noise
made() {
	mkdir "$1"
	awk -v D="$1" -v P="$2" -v K="$3" 'BEGIN {
		srand(7)
		for (r = 0; r < P; r++) {
			f = D "/profile." r ".0.0"
			split("20 20 20 20 20", v, " ")
			if (K == "two") split((r >= 2 && r <= 4) || r >= 20 ? "60 10 10 10 10" : "10 60 10 10 10", v, " ")
			if (K == "three") split(r % 3 == 0 ? "60 10 10 10 10" : r % 3 == 1 ? "10 60 10 10 10" : "10 10 60 10 10", v, " ")
			split("solve assemble exchange write other", name, " ")
			print "5 templated_functions_MULTI_TIME" >f
			print "# Name Calls Subrs Excl Incl ProfileCalls #" >f
			for (i = 1; i <= 5; i++) {
				t = 1000 * v[i] * (1 + r / P) * (K == "same" ? 1 : 1 + 0.1 * (rand() - 0.5))
				printf "\"%s\" 1 0 %.6f %.6f 0 GROUP=\"TAU_USER\"\n", name[i], t, t >f
			}
			print "0 aggregates" >f
			close(f)
		}
	}'
}
made two 24 two
made three 30 three
made one 32 one
made same 16 same
made large 1500 two
rows() { tau-report cluster -f csv "$@" | tr -d '\r' | sed 1d; }
is "two groups of ranks: how many, and which" "$(rows two | sed 's/^\([0-9]*,[0-9]*\),[0-9.]*,/\1 /' | tr -d '"')" "1,17 0-1,5-19
2,7 2-4,20-23"
is "what distinguishes them" "$(tau-report cluster --by region --top 2 -f csv two | tr -d '\r' | awk -F, 'NR > 1 { print $1, $5, ($4 > 40 ? "more" : $4 < -40 ? "less" : "") }' | sort)" \
	"1 assemble more
1 solve less
2 assemble less
2 solve more"
is "shares and the others' shares are those of the profiles" "$(tau-report cluster --by region -f csv two | awk -F, '
	NR > 1 { s[$1] += $2; o[$1] += $3; d = $2 - $3 - $4; bad += d > 1e-9 || d < -1e-9 } END { printf "%.6f %.6f %.6f %d\n", s[1], s[2], o[1], bad }')" \
	"100.000000 100.000000 100.000000 0"
is "three groups" "$(rows three | cut -d , -f 1,2 | tr '\n' ' ')" "1,10 2,10 3,10 "
is "noise alone is one cluster" "$(rows one | cut -d , -f 1,2,4)" "1,32,0-31"
is "its note has the best silhouette" "$(tau-report cluster one | grep -c 'one cluster: the best division, into [2-8], has a mean silhouette of 0\.[0-6]')" 1
is "ranks that are the same are one cluster, whatever their total time" "$(rows same | cut -d , -f 1,2,4)" "1,16,0-15"
is "1500 ranks" "$(rows large | sed 's/^\([0-9]*,[0-9]*\),[0-9.]*,/\1 /' | tr -d '"')" "1,1483 2-4,20-1499
2,17 0-1,5-19"
is "a second time gives the same" "$(tau-report cluster -f json one | cksum)" "$(tau-report cluster -f json one | cksum)"
tau-db import --db t.db two >/dev/null 2>&1
is "a trial of a database has the same clusters" "$(rows --db t.db)" "$(rows two)"
for by in cluster region; do
	for f in text markdown html csv json; do tau-report cluster --top 0 --by $by -f $f two >a.$f; done
	is "--by $by: text, Markdown, HTML, CSV and JSON agree" "$(python3 "$TOP/tests/formats.py" a.text a.markdown a.html a.csv a.json)" same
done
tau-report cluster -f svg -o three.svg three
ok "the picture is XML" xmllint --noout three.svg
is "... with the shares of --by region" "$(sed -n 's|.*<title>\(.*\), \(.*\) %</title>.*|\1 \2|p' three.svg | sort)" \
	"$(tau-report cluster --by region -f csv three | tr -d '\r' | awk -F, 'NR > 1 { printf "%s %.1f\n", $5, $2 }' | sort)"
is "... and others" "$(tau-report cluster --top 2 -f svg three | grep -c '<title>others, ')" 3
made few 2 two
tau-report cluster few >out 2>&1
is "two ranks are too few" "$? $(cat out)" "3 tau-report: few: it has 2 ranks: too few to compare"
tap_end
