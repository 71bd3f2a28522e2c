# completion.sh: bash, zsh and fish complete programs, commands and options from the words of the programs.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
from=$TOP/packaging/completion

# What is typed, and what a shell makes of it: one that is unique, a kind or command, and an option of that.
cat >lines <<'ROWS'
tau-report --expl=tau-report --explain
tau-report memory-sc=tau-report memory-scaling
tau-db imp=tau-db import
tau-db import --appl=tau-db import --application
tau-report memory --view cum=tau-report memory --view cumulative
tau-report diff a b --per p=tau-report diff a b --per pe
tau-report scaling --by gr=tau-report scaling --by group
tau-record --doc=tau-record --doctor
tau-trace2profile --form=tau-trace2profile --format
ROWS
cut -d = -f 2 lines >expected

cat >b.bash <<'SHELL'
. "$1"
while IFS= read -r line; do
	read -ra COMP_WORDS <<<"$line"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_tau "${COMP_WORDS[0]}"
	echo "${COMP_WORDS[*]:0:COMP_CWORD} ${COMPREPLY[*]}"
done
SHELL
is "bash" "$(cut -d = -f 1 lines | bash b.bash "$from/tau.bash")" "$(cat expected)"

# zsh completes on a terminal only. Ctrl-X writes the line that Tab has made.
cat >z.zsh <<'SHELL'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; show() { print -r -- \${BUFFER% } >>$PWD/out; BUFFER= }; zle -N show; bindkey '^X' show"
while IFS= read -r line; do
	lines=$(wc -l <out)
	zpty -w -n z "$line"$'\t\x18'
	for ((i = 0; i < 600 && $(wc -l <out) == lines; i++)) do zpty -r -t z junk; sleep 0.05; done
done
zpty -d z
SHELL
if command -v zsh >/dev/null; then
	cp "$from/_tau.zsh" _tau
	: >out
	cut -d = -f 1 lines | zsh -f z.zsh
	is "zsh" "$(cat out)" "$(cat expected)"
else
	skip "zsh" "no zsh"
fi

if command -v fish >/dev/null; then
	mkdir fish
	for program in $(cut -d ' ' -f 1 lines | sort -u); do cp "$from/tau.fish" "fish/$program.fish"; done
	is "fish" "$(cut -d = -f 1 lines | while IFS= read -r line; do
		echo "${line% *} $(HOME=$T fish -N -c "set -g fish_complete_path $T/fish; complete -C '$line'" | cut -f 1 | tr '\n' ' ')" | sed 's/ $//'
	done)" "$(cat expected)"
	is "fish lists commands first, not options" \
		"$(HOME=$T fish -N -c "set -g fish_complete_path $T/fish; complete -C 'tau-db '" | cut -f 1 | grep -cxE 'import|query|--db')" 2
else
	skip "fish" "no fish"
fi
tap_end
