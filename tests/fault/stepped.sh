# stepped.sh: a signal whose handler makes more recorded calls than there is room for, at every instruction of recorded calls: the
# program goes on, and each call is in the trace, or those of the handler are counted as lost.
. "$(dirname "$0")/../expect.sh"

for how in "3" "5 groups"; do
	record stepped "$B/apps/stepped" $how
	[ "$code" -ne 3 ] || skip_all "no process may be traced here"
	children=$(sed -n 's/ children, .*//p' "$T/stepped.out")
	is "$how: all programs end as they should" "$(sed -n '1s/.*, //p' "$T/stepped.out")" "$children ended well"
	ok "$how: they were not over at once (${children:-0})" test "${children:-0}" -gt 100
	expect stepped
	lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$T/stepped.err")
	is "$how: handlers are in the trace whole or counted" $(($(calls stepped "inside 299") + lost / 600)) $((children - 1))
done
tap_end
