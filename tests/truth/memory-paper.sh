# memory-paper.sh: the comparison with the published method can be made again: types per pair of PEs have their exact laws.
. "$(dirname "$0")/../tap.sh"
command -v oshrun >/dev/null || skip_all "no OpenSHMEM"
[ -x "$B/apps/gups" ] || skip_all "gups is not built"
# A folder of its own, where programs are found as in the build.
mkdir "$T/b" && ln -s "$B"/* "$T/b/" && rm -rf "$T/b/paper" || fail "a folder of its own"
sh "$TOP/fixtures/paper.sh" "$T/b" 2 4 8 16 >"$T/table" 2>"$T/err" || fail "the script ends with $?: $(cat "$T/err")"
like "one ompi_proc_t for each pair of PEs" "$(cat "$T/table")" '^ompi_proc_t +117 MB +125\.8 MB +120 B x P\^2, live 30720 B on 16'
like "groups have 4 bytes for each member" "$(cat "$T/table")" '^list of ompi_proc_t <= oshmem_group_t +33\.5 MB +4\.2 MB '
like "no orte_namelist_t" "$(cat "$T/table")" '^orte_namelist_t <= oshmem_group_t +100 MB +0 B  no such objects'
like "opal_value_t holds nothing in the end" "$(cat "$T/table")" '^opal_value_t .*live 0 B on 16'
tap_end
