# replay.sh: every fuzz target takes its corpus, which holds a small file of its format and what once went wrong.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
for c in tests/fuzz/*.c; do
	name=$(basename "$c" .c)
	case $name in replay | place) continue ;; esac
	if [ ! -x "$B/tests/fuzz/$name" ]; then
		fail "$name is built"
		continue
	fi
	files=$(ls "fixtures/fuzz/$name" 2>/dev/null | wc -l)
	is "$name takes its $files files" "$(timeout 600 "$B/tests/fuzz/$name" fixtures/fuzz/"$name"/* 2>&1)" "$files files"
done
tap_end
