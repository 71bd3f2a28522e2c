# bash completion of all tau- programs. Their words come from the programs themselves (--help=words), so they are never out of step.
_tau_words() { "$@" --help=words 2>/dev/null </dev/null | cut -f 1; }

_tau() {
	local program=$1 word=${COMP_WORDS[COMP_CWORD]} first=${COMP_WORDS[1]} command=
	COMPREPLY=()
	# Only a word of the program's own is given to it: any other might be a program to record.
	case $(basename "$program") in
	tau-db | tau-report)
		[ "$COMP_CWORD" -gt 1 ] && _tau_words "$program" | grep -v '^-' | grep -qxF -- "$first" && command=$first
		;;
	esac
	local before=${COMP_WORDS[COMP_CWORD-1]} values=
	[[ $COMP_CWORD -gt 1 && $before == -* ]] && values=$("$program" $command --help=words 2>/dev/null </dev/null |
		awk -F '\t' -v option="$before" '$1 == option { print $4 }')
	if [ "$values" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_tau_words "$program" $command | grep '^--')" -- "$word")
	elif [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_tau_words "$program" | grep -v '^-')" -- "$word")
	fi
}
complete -o default -o bashdefault -F _tau tau-convert tau-db tau-dump tau-experiment tau-monitor tau-record tau-reduce tau-report tau-trace2profile tau-view
