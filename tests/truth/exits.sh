# exits.sh: however a program ends, its status is its own and its trace holds everything up to the end.
. "$(dirname "$0")/../expect.sh"

exits=$B/apps/exits
ways=$("$exits")
for way in $ways; do
	"$exits" "$way" >/dev/null 2>&1
	plain=$?
	record "$way" "$exits" "$way"
	is "$way: the exit status is the program's own" "$code" "$plain"
	expect "$way"
done 2>/dev/null
like "there are ways to end" "$ways" "quick_exit"
tap_end
