# forks.sh: children by fork record too, from threads as well, and exec carries on in the same run.
. "$(dirname "$0")/../expect.sh"

record forks "$B/apps/forks"
is "the program ends as it should" "$code" 0
is "no child ended badly" "$(grep -c '^forks:' "$T/forks.err")" 0
expect forks
is "every process has its own node: the parent, four children, a grandchild, and what came after exec" \
	"$(awk -F, '$5 == "timer" && $2 >= 0 { print $2 }' "$T/forks.csv" | sort -u | wc -l)" 7

# A child whose first recorded calls are made by threads that the child has begun, with and without the thread that called fork().
for how in none memory sample; do
	case $how in
	none) set -- -w none ;;
	memory) set -- --memory=stacks ;;
	sample) set -- --sample ;;
	esac
	record "threads-$how" "$@" -- "$B/apps/forkthread"
	is "$how: the program ends as it should" "$code" 0
	is "$how: no child ended badly" "$(grep -c '^forkthread:' "$T/threads-$how.err")" 0
	is "$how: nothing is lost" "$(grep -c ', 0 lost' "$T/threads-$how.err")" 1
	expect "threads-$how"
	ok "$how: the trace is consistent" tau-dump --check "$T/threads-$how.run"
done
tap_end
