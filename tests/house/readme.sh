# readme.sh: each folder's README names exactly its files, in reading order, and its folders as NAME/.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || skip_all "not a git checkout"

files() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }
folders() {
	files analyze convert db cmd record | sed 's|/[^/]*$||'
	printf '%s\n' analyze convert cmd record tests fixtures bench packaging packaging/completion
}
# What a folder has: its files, without README, and its folders.
has() { files "$1" | sed "s|^$1/||; s|/.*|/|" | grep -vx README | sort -u; }
# What its README names: the first words of lines that two spaces begin. NAME is NAME.c, NAME.h or both.
named() {
	sed -n 's/^  \([^ ][^ ]*\)  *[^ ].*/\1/p' "$1/README" | while read -r n; do
		there=
		for f in "$n" "$n.c" "$n.h"; do [ -e "$1/$f" ] && echo "$f" && there=1; done
		[ "$there" ] || echo "$n"
	done
}

for d in $(folders | sort -u); do
	has "$d" >"$T/has"
	named "$d" 2>/dev/null | sort >"$T/named"
	is "$d/README names exactly its files" "$(diff "$T/has" "$T/named" | sed -n 's/^</not named:/p; s/^>/not there, or named twice:/p')" ""
done
tap_end
