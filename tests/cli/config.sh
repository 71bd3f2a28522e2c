# config.sh: configuration files: which are read, in which order, what is refused, and what the file of a project may not contain.
. "$(dirname "$0")/../tap.sh"
unset TAU_TOOLS_CONFIG XDG_CONFIG_HOME
mkdir -p "$T/home/.config/tau" "$T/project/below" && cd "$T/project/below" || exit 1
export HOME="$T/home"
user=$HOME/.config/tau/config project=$T/project/.tau

# period [OPTIONS]: how often tau-record would sample.
period() { tau-record -n -o no "$@" true 2>&1 | sed -n 's/^TAU_RECORD_SAMPLE=//p; /^tau-record: /p'; }
is "without files" "$(period)" 10000
printf '# a comment\n\n[tau-record]\n  sample = 2ms\n[tau-report]\ntop=3\n' >"$user"
is "the user's file" "$(period)" 2000
printf '[tau-record]\nsample = 3ms\n' >"$project"
is "the project's file wins, from a directory below" "$(period)" 3000
is "the command line wins" "$(period --sample=4ms)" 4000
is "--no-config" "$(period --no-config)" 10000
printf '[tau-record]\nsample=5ms\n' >"$T/other"
is "--config is read alone" "$(period --config "$T/other") $(period --config="$T/other")" "5000 5000"
is "TAU_TOOLS_CONFIG is, too" "$(TAU_TOOLS_CONFIG=$T/other period)" 5000
is "... and none if it is empty" "$(TAU_TOOLS_CONFIG='' period)" 10000
like "--config of no file is an error" "$(period --config none)" 'none: No such file'
like "--config and --no-config" "$(period --config "$T/other" --no-config)" 'exclude each other'
rm "$project"
is "XDG_CONFIG_HOME" "$(mkdir -p "$T/xdg/tau" && cp "$T/other" "$T/xdg/tau/config" && XDG_CONFIG_HOME=$T/xdg period)" 5000
printf '\357\273\277[tau-record]\r\nsample = 6ms\r\n' >"$T/other"
is "a byte order mark and carriage returns" "$(period --config "$T/other")" 6000
printf '[tau-record]\nsample = none\nverbose = yes\nmax-size = 1M\n' >"$T/other"
is "an option with a word" "$(period --config "$T/other")" ""
is "an option that excludes one of the command line is not set" "$(period --config "$T/other" --flight 10s --sample=1ms)" 1000
printf '[tau-record]\nmax-size = 1M\nflight = 10s\n' >"$T/other"
like "two of a file that exclude each other" "$(period --config "$T/other")" "other: line 3: flight and max-size exclude each other"

# refused FILE'S LINES, MESSAGE
refused() {
	printf "$1" >"$T/other"
	like "refused: $2" "$(period --config "$T/other")" "^tau-record: .*/other: line $2"
}
refused '[tau-record]\nsampel = 1ms\n' "2: tau-record has no option 'sampel'; did you mean 'sample'\?"
refused 'sample = 1ms\n' "1: options follow a heading such as \[tau-record\]"
refused '\n[tau-recrod]\n' "2: there is no program \[tau-recrod\]; did you mean 'tau-record'\?"
refused '[tau-record\n' "1: a heading ends in \]"
refused '[tau-record]\nverbose = perhaps\n' "2: verbose = perhaps: it is yes or no"
refused '[tau-record]\noutput\n' "2: output needs = DIR"
tau-record --config "$T/other" -n true >/dev/null 2>&1
is "... with the status of a wrong command line" $? 125
printf '[tau-monitor]\nnonsense = 1\n' >"$T/other"
is "options of other programs are not its business" "$(period --config "$T/other")" 10000

# A value that is found wrong later, when all options are known: the message is followed by where it comes from.
printf '[tau-record]\nverbose = yes\nsample = often\n[tau-report]\nwindow = nowhere\n[tau-trace2profile]\nevery = often\n' >"$T/other"
like "a wrong value: which files set which options" "$(tau-record --config "$T/other" -n true 2>&1)" \
	"^tau-record: set by configuration files: --verbose \(.*/other, line 2\), --sample \(.*/other, line 3\); --no-config ignores them"
tau-record --no-config -o run "$B/apps/hooks" >/dev/null 2>&1
for program in tau-report tau-trace2profile; do
	like "... of $program" "$($program --config "$T/other" run 2>&1)" "set by configuration files: --[a-z]+ \(.*/other, line [57]\)"
done
hidden() { ! "$@" 2>&1 | grep -q "set by configuration"; }
ok "nothing of it without such files" hidden tau-record --no-config --sample=often -n true

# A forgotten value: the next option is not taken for it, as long as it is not joined to the option.
like "an option that stands where a value is needed" "$(tau-record --no-config --patch -o run -n true 2>&1)" "^tau-record: --patch needs LIST, but '-o' is an option; as a value: --patch=-o "
like "... a long one, after a letter" "$(tau-report --no-config -w --top=3 run 2>&1)" "^tau-report: -w needs WINDOW, but '--top=3' is an option; as a value: -w--top=3 "
is "joined, it is a value" "$(tau-report --no-config --top=-f run 2>&1)" "tau-report: --top: '-f' is not a whole number (see tau-report --help)"

# Lists, numbers, tau-db and its commands.
tau-record --no-config -o run "$B/apps/hooks" >/dev/null 2>&1
rows() { tau-report profile --sample-resolution function "$@" run -f csv | wc -l; }
printf '[tau-report]\ntop = 1\n' >"$user"
is "a number" "$(rows --no-config) $(rows | awk '{ print $1 < 4 }') $(rows --top 0)" "$(rows --top 0) 1 $(rows --top 0)"
printf '[tau-report]\nregion = main\n' >"$user"
ok "a list" test "$(rows)" -lt "$(rows --no-config)"
printf '[tau-db import]\nmetadata = Flag=O2\nmetadata = Site=here\n[tau-db]\n' >"$user"
ok "a run is imported" tau-db import --db runs.db run
is "options of a command of tau-db, and a list of two lines" \
	"$(tau-db query --no-config --db runs.db -f csv "select count(*) from primary_metadata where name in ('Flag', 'Site')" | sed 1d | tr -d '\r')" 2
rm "$user"

# The file of a project: from a stranger's archive, for example.
printf '[tau-record]\noutput = elsewhere\n' >"$project"
like "a project does not name files" "$(period)" "\.tau: line 2: output is not for the file of a project"
printf '[tau-record]\nwrap = /tmp/x.so\n' >"$project"
like "... nor paths" "$(period)" "\.tau: line 2: wrap = /tmp/x.so: the file of a project contains no paths"
printf '[tau-monitor]\nrsh = sh\n' >"$project"
like "... nor programs" "$(tau-monitor --once run 2>&1)" "\.tau: line 2: rsh is not for the file of a project"
printf '[tau-record]\nsample = 7ms\n' >"$project"
is "a project chooses what is recorded" "$(period)" 7000
chmod 666 "$project"
like "a file that others may write to is not read" "$(period | tr '\n' ' ')" "\.tau: not read, because others may write to it .*10000|10000.*not read"
chmod 600 "$project"
chmod 777 "$T/project"
is "nor one of a directory that others may write to" "$(period)" 10000
chmod 755 "$T/project"
mv "$project" "$T/real" && ln -s "$T/real" "$project"
is "nor a link" "$(period)" 10000
rm "$project" && mkdir "$project"
is "a directory of this name is nothing" "$(period)" 10000
rmdir "$project" && mkfifo "$project"
is "nor is a pipe" "$(timeout 20 sh -c "tau-record -n -o no true" | sed -n 's/^TAU_RECORD_SAMPLE=//p')" 10000
rm "$project"
if [ "$(id -u)" = 0 ]; then
	printf '[tau-record]\nsample = 7ms\n' >"$project" && chown 1 "$project"
	like "nor one of another user" "$(period | tr '\n' ' ')" "\.tau: not read, because it is another user's"
	rm "$project"
else
	skip "nor one of another user" "not root"
fi

# Each option that a project may set is one that there is.
for p in record report trace2profile monitor; do
	printf '[tau-%s]\nno-such-option = 1\n' $p >"$project"
	like "tau-$p reads it" "$(tau-$p --help >/dev/null; tau-$p run 2>&1)" "tau-$p has no option 'no-such-option'"
	for o in $(sed -n '/\.project = /,/",$/p' "$TOP/cmd/tau-$p.c" | grep -o '"[^"]*"' | tr -d '"'); do
		ok "tau-$p --$o is an option" sh -c "tau-$p --help=words | grep -q '^--$o	'"
	done
done
tap_end
