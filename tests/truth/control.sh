# control.sh: what the options of tau-record keep out is out, and what is left is exact.
. "$(dirname "$0")/../expect.sh"

# counts NAME: calls of each region of the control program, in one line
regions="outer pair middle leaf deep"
profile() { tau-trace2profile --callpath=2 --format csv "$T/$1.run" >"$T/$1.csv" 2>"$T/$1.why"; }
counts() {
	profile "$1" || { cat "$T/$1.why"; return; }
	for r in $regions; do n=$(calls "$1" $r); printf '%s=%s ' $r "${n:-0}"; done | sed 's/ $//'
}
whole="outer=100 pair=100 middle=200 leaf=600 deep=180"
checked() { ok "$1: the trace is sound" tau-dump --check "$T/$1.run"; }

# ---- selection ----
select_with() { name=$1; shift; printf '%s\n' "$@" >"$T/$name.sel"; record $name --select "$T/$name.sel" "$B/apps/control" 100; }

select_with exclude '# a comment' BEGIN_EXCLUDE_LIST '  le#f' '"pair"' END_EXCLUDE_LIST
is "exclude list: names with # and quotes" "$(counts exclude)" "outer=100 pair=0 middle=200 leaf=0 deep=180"
checked exclude
select_with include BEGIN_INCLUDE_LIST 'm#' 'deep' END_INCLUDE_LIST
is "include list: only these" "$(counts include)" "outer=0 pair=0 middle=200 leaf=0 deep=180"
select_with both BEGIN_INCLUDE_LIST '"#e#' END_INCLUDE_LIST BEGIN_EXCLUDE_LIST '"#l#"' END_EXCLUDE_LIST
is "what is in both lists is out" "$(counts both)" "outer=100 pair=0 middle=0 leaf=0 deep=180"
select_with files BEGIN_FILE_EXCLUDE_LIST '*cont?ol.hook.c' END_FILE_EXCLUDE_LIST
is "file exclude list: * and ?; a region without a file stays" "$(counts files)" "outer=0 pair=100 middle=0 leaf=0 deep=0"
select_with filesin BEGIN_FILE_INCLUDE_LIST 'control.*' END_FILE_INCLUDE_LIST
is "file include list" "$(counts filesin)" "$whole"
select_with section BEGIN_INSTRUMENT_SECTION 'loops routine="#"' END_INSTRUMENT_SECTION
is "an instrumentation section changes nothing" "$(counts section)" "$whole"
like "and is named" "$(cat "$T/section.err")" 'BEGIN_INSTRUMENT_SECTION is ignored .*1'
TAU_SELECT_FILE=$T/exclude.sel record variable "$B/apps/control" 100
is "TAU_SELECT_FILE is an alias" "$(counts variable)" "outer=100 pair=0 middle=200 leaf=0 deep=180"
printf 'BEGIN_EXCLUDE_LIST\nleaf\n' >"$T/bad.sel"
record bad --select "$T/bad.sel" "$B/apps/control" 1
is "a file without its END is refused" "$code" 125
like "in a sentence" "$(cat "$T/bad.err")" 'bad.sel: END_EXCLUDE_LIST is missing'
tap_end
