# threads.sh: threads at once and one after the other: each stream holds what its threads did.
. "$(dirname "$0")/../expect.sh"

for n in 1 4 16; do
	record threads$n "$B/apps/threads" $n
	is "$n threads: the program ends as it should" "$code" 0
	expect threads$n
done
tap_end
