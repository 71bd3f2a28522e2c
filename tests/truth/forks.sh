# forks.sh: children by fork record too, from threads as well, and exec carries on in the same run.
. "$(dirname "$0")/../expect.sh"

record forks "$B/apps/forks"
is "the program ends as it should" "$code" 0
is "no child ended badly" "$(grep -c '^forks:' "$T/forks.err")" 0
expect forks
is "every process has its own node: the parent, four children, a grandchild, and what came after exec" \
	"$(awk -F, '$5 == "timer" && $2 >= 0 { print $2 }' "$T/forks.csv" | sort -u | wc -l)" 7
tap_end
