# python-samples.sh: samples of Python have the program's functions and lines in place of those of the interpreter.
. "$(dirname "$0")/../expect.sh"

app=$TOP/fixtures/apps/pysampled.py
export PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
main_loop=$(grep -n '# here' "$app" | cut -d : -f 1)

# Paths of samples without places: "NS PATH".
paths() {
	tau-trace2profile -c -f csv --sample-resolution function "$@" | awk -F, -v q='"' '/=> \[SAMPLE\]/ {
		line = $0
		n = split(line, field, ",")
		sub(/^.*timer,/, "", line)
		name = line
		sub(/,TAU_CALLPATH.*/, "", name)
		sub(/^.*TAU_CALLPATH[A-Z_|]*,/, "", line)
		split(line, value, ",")
		gsub(/ \[\{[^]]*\}\]/, "", name)
		gsub(/\[(UNWIND|SAMPLE|CONTEXT)\] /, "", name)
		gsub(q, "", name)
		printf "%d %s\n", value[3] * 1000, name
	}'
}
# The ns of all paths that match.
spent() { grep -E "$1" "$T/paths" | awk '{ ns += $1 } END { printf "%d", ns }'; }
# near NS WANTED: within 40 %: at least 25 samples, each of 1 to 10 ms
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.6 * b && a < 1.4 * b) }'; }

check() {
	version=$1 python=$2
	record "$version" -w none --sample=1ms --unwind "$python" "$app"
	is "$version: the program ends as it should" "$code" 4
	is "$version: and prints what it spent" "$(cut -d ' ' -f 1 "$T/$version.out" | tr '\n' ' ')" "heavy light key numbers überall "
	ok "$version: the trace is sound" tau-dump --check "$T/$version.run"
	paths "$T/$version.run" >"$T/paths"
	for path in 'main => timed => Box.heavy => spend' 'main => timed => light => spend' \
		'main => timed => main.<locals>.<lambda> => key => spend' \
		'main => timed => main.<locals>.<lambda> => numbers => spend' 'main => timed => überall => spend'; do
		ok "$version: samples of $path" grep -q "<module> => $path\$" "$T/paths"
	done
	is "$version: functions of the interpreter are left out" \
		"$(grep '<module> => .*=> spend$' "$T/paths" | grep -c 'Py\|UNRESOLVED\|vectorcall')" 0
	wanted=$(awk '$1 == "heavy" { print $2 }' "$T/$version.out")
	ok "$version: the samples of a function add up to its CPU time" near "$(spent '=> Box.heavy')" "$wanted"
	all=$(tau-trace2profile -f csv "$T/$version.run" | grep -F '[SAMPLE] spend [{' |
		awk -F, -v here="{$main_loop}" '{ all += $8 } index($6, here) { n += $8 } END { print (n * 2 > all) }')
	is "$version: most are on the line of the loop" "$all" 1
	like "$version: with the file" "$(tau-trace2profile -f csv "$T/$version.run" | grep -F '[SAMPLE] spend')" \
		"\[\{$app\} \{$main_loop\}\]"

	record "$version-flat" -w none --sample=1ms "$python" "$app"
	is "$version: without --unwind there is the innermost function" \
		"$(tau-trace2profile -f csv "$T/$version-flat.run" | grep -c "\[SAMPLE\] spend \[{$app} {$main_loop}\]" | awk '{ print ($1 > 0) }')" 1

	record "$version-deep" -w none --sample=1ms --unwind "$python" "$app" deep
	is "$version: a deep call ends as it should" "$code" 4
	ok "$version: its trace is sound" tau-dump --check "$T/$version-deep.run"
	paths "$T/$version-deep.run" >"$T/paths"
	ok "$version: its innermost calls are there" grep -q 'down => down => down => spend$' "$T/paths"

	record "$version-threads" -w none --sample=1ms --unwind "$python" "$app" threads
	paths "$T/$version-threads.run" >"$T/paths"
	ok "$version: threads have the functions that they run" grep -q 'Thread.run => light => spend$' "$T/paths"
	is "$version: no other thread's" "$(grep 'Thread.run' "$T/paths" | grep -c '<module>')" 0

	record "$version-both" -w python --sample=1ms --unwind "$python" "$app"
	is "$version: with functions recorded, too, the program ends as it should" "$code" 4
	ok "$version: and the trace is sound" tau-dump --check "$T/$version-both.run"
}

for python in "$TAU_TEST_PYTHON" /usr/bin/python3 python3.11 python3.12 python3.13; do
	path=$("$python" -c 'import sys; sys.version_info >= (3, 11) and print(sys.executable)' 2>/dev/null)
	[ -n "$path" ] || continue
	version=$("$path" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
	case " $done " in *" $version "*) continue ;; esac
	done="$done $version"
	case $version in
	python3.11 | python3.12 | python3.13) check "$version" "$path" ;;
	*) skip "$version" "its frames are not known" ;;
	esac
done
[ -n "$done" ] || skip_all "no Python 3.11 to 3.13 is installed"
tap_end
