#!/bin/sh
# memory-runtime.sh: memory by type inside the installed Open MPI, OpenSHMEM and PMIx, against sizes from their sources, at 2 to 16 PEs.
. "$(dirname "$0")/../tap.sh"
command -v oshcc >/dev/null || skip_all "no OpenSHMEM compiler"
oshmem_info 2>/dev/null | grep -q 'Open MPI: 4\.1\.' || skip_all "the sizes below are Open MPI 4.1's"
APPS=$TOP/fixtures/apps
CC=${CC:-cc}
export UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M OMPI_MCA_memory=^patcher
export TAU_DOUBLE="$T/said"
ok "the double of the recorder builds" $CC -O1 -D_GNU_SOURCE -I"$TOP/record" -fPIC -shared -Wl,-soname,libtau.so \
	"$APPS/memory/double.c" -o "$T/libtau.so"
cat >"$T/hello.c" <<'END'
#include <shmem.h>
#include <stdio.h>
int main(void)
{
	shmem_init();
	shmem_barrier_all();
	if (shmem_my_pe() == 0)
		printf("hello from %d\n", shmem_n_pes());
	shmem_finalize();
	return 0;
}
END
ok "a small OpenSHMEM program builds" oshcc "$T/hello.c" -o "$T/hello"
printf '#!/bin/sh\nLD_PRELOAD=%s exec "$@"\n' "$T/libtau.so:$B/libtau-memory.so" >"$T/pre"
chmod +x "$T/pre"

# sum FILE NAME FIELDS: over all owners; FIELDS is an awk expression of the double's columns
sum() { awk -F '\t' -v n="$2" '$1 == "type" && ($2 == n || index($2, n " <= ") == 1) { s += '"$3"' } END { print s + 0 }' "$1"; }
meta() { awk -F '\t' -v n="TAU Memory $2" '$1 == "meta" && $2 == n { print $3 }' "$1"; }
# distinct COMMAND...: what it gives for every PE, each value once
distinct() { for f in "$T"/said.*.finalize; do "$1" "$f" "$2" "$3"; done | sort -un | tr '\n' ' '; }

largest=0
for pes in 2 4 8 16; do
	rm -f "$T"/said.*
	timeout 400 oshrun -np $pes "$T/pre" "$T/hello" >"$T/out" 2>"$T/err"
	is "$pes PEs run as without us" "$? $(cat "$T/out")" "0 hello from $pes"
	is "all of them reported ($pes PEs)" "$(ls "$T"/said.*.finalize | wc -l)" $pes
	is "ompi_proc_t: 120 bytes for each PE, on each PE ($pes PEs)" "$(distinct sum ompi_proc_t '$11')" "$((120 * pes)) "
	is "mca_bml_base_endpoint_t: 232 bytes for each PE ($pes PEs)" "$(distinct sum mca_bml_base_endpoint_t '$11')" \
		"$((232 * pes)) "
	is "opal_value_t: none live ($pes PEs)" "$(distinct sum opal_value_t '$11')" "0 "
	file=$(ls "$T"/said.*.finalize | head -n 1)
	cumulative=$(sum "$file" opal_value_t '$3 + $5 - $7')
	ok "opal_value_t: more allocated over time than with fewer PEs ($pes PEs: $cumulative)" [ "$cumulative" -gt "$largest" ]
	largest=$cumulative
	is "no claim was wrong ($pes PEs)" "$(distinct meta 'Wrong Claims')" "0 "
	is "no free lost, no block untracked ($pes PEs)" "$(distinct meta 'Lost Frees')$(distinct meta 'Untracked Blocks')" "0 0 "
	is "what is live is what was allocated less what was freed ($pes PEs)" \
		"$(for f in "$T"/said.*.finalize; do awk -F '\t' '$1 == "type" { d += $3 - $9 - $11; l += $11 } $2 == "TAU Memory Live Bytes" { l -= $3 } END { print d, l }' "$f"; done | sort -u)" "0 0"
	all=$(meta "$file" 'Runtime Bytes') typed=$(meta "$file" 'Runtime Typed Bytes') owned=$(meta "$file" 'Runtime Owned Bytes')
	pmix=$(meta "$file" 'PMIx Bytes') pmix_typed=$(meta "$file" 'PMIx Typed Bytes') slabs=$(meta "$file" 'Runtime Slab Bytes')
	fixed=$(($(sum "$file" 'mca_btl_tcp_frag_max_t[]' '$11') + $(sum "$file" 'mca_btl_tcp_frag_eager_t[]' '$11')))
	share=$(((typed - pmix_typed) * 1000 / (all - pmix)))
	rest=$(((typed - pmix_typed - fixed) * 1000 / (all - pmix - fixed)))
	explained=$(((typed + owned) * 1000 / all))
	ok "70 % of Open MPI's live bytes are of known types ($pes PEs: $share per mille, $rest without the TCP slabs)" [ $share -ge 700 ]
	own=$((owned - $(meta "$file" 'PMIx Owned Bytes')))
	named=$(((typed - pmix_typed - fixed + own) * 1000 / (all - pmix - fixed)))
	ok "75 % of Open MPI's are typed or belong to a typed object, the TCP slabs left out ($pes PEs: $named per mille)" \
		[ $named -ge 750 ]
	ok "85 % of them and PMIx's are typed or belong to a typed object ($pes PEs: $explained per mille)" [ $explained -ge 850 ]
	agree=$(meta "$file" 'Owner Agreements') disagree=$(meta "$file" 'Owner Disagreements')
	ok "owners by constructor and by pointers agree ($pes PEs: $agree to $disagree)" [ $((disagree * 20)) -lt "$agree" ]
done
tap_end
