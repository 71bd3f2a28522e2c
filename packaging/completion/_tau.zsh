#compdef tau-convert tau-db tau-dump tau-experiment tau-monitor tau-record tau-reduce tau-report tau-trace2profile tau-view
# zsh completion of all tau- programs, from their own words (--help=words).
local program=$words[1] command=
local -a commands options values
commands=(${(f)"$($program --help=words 2>/dev/null </dev/null | grep -v '^-')"})
case ${program:t} in
tau-db|tau-report) (( CURRENT > 2 && ${commands[(Ie)$words[2]]} )) && command=$words[2] ;;
esac
options=(${(f)"$($program $command --help=words 2>/dev/null </dev/null | sed -n 's/^\(--[^	]*\)	[^	]*	\([^	]*\).*/\1:\2/p')"})
values=(${=${$($program $command --help=words 2>/dev/null </dev/null | awk -F '\t' -v option=$words[CURRENT-1] '$1 == option { print $4 }')}})
if (( $#values )); then
	compadd -a values
elif [[ $PREFIX == -* ]]; then
	_describe -o option options
elif (( CURRENT == 2 && $#commands )); then
	_describe command commands
	_files
else
	_files
fi
