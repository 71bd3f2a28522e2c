# annotated.sh: the wrappers of ROCTX and of Caliper: what the program annotates is recorded, and reaches the real library, too.
. "$(dirname "$0")/../expect.sh"

is "without the libraries and the recorder there is nothing to call" "$("$B/apps/annotated")" ""
record both --wrap roctx,caliper "$B/apps/annotated"
is "the program ends as it should" "$code" 0
is "levels are those of ROCTX" "$(grep levels "$T/both.out")" "levels 0 0 -1"
expect both
is "nothing had to be repaired" "$(grep -c repaired "$T/both.why")" 0
like "a phase of Caliper is a phase" "$(grep '^[^ ]*phase,' "$T/both.csv" | head -n 1)" 'CALIPER\|TAU_PHASE'

# Libraries in their place: they count their calls, and give other levels.
cat >"$T/roctx.c" <<-'END'
	#include <stdint.h>
	#include <stdio.h>
	static int calls;
	void roctxMarkA(const char *m) { calls += *m != 0; }
	int roctxRangePushA(const char *m) { calls += *m != 0; return 70; }
	int roctxRangePop(void) { calls++; return 71; }
	uint64_t roctxRangeStartA(const char *m) { calls += *m != 0; return 5000 + (uint64_t)calls; }
	void roctxRangeStop(uint64_t id) { calls += id > 0; }
	__attribute__((destructor)) static void end(void) { fprintf(stderr, "roctx got %d\n", calls); }
END
cat >"$T/caliper.c" <<-'END'
	#include <stdio.h>
	static int calls;
	#define F(name) void cali_##name(const char *r) { calls += *r != 0; }
	F(begin_region) F(end_region) F(begin_phase) F(end_phase) F(begin_comm_region) F(end_comm_region)
	__attribute__((destructor)) static void end(void) { fprintf(stderr, "caliper got %d\n", calls); }
END
cc -shared -fPIC -Wl,-soname,libroctx64.so.4 "$T/roctx.c" -o "$T/libroctx64.so.4"
cc -shared -fPIC -Wl,-soname,libcaliper.so.2 "$T/caliper.c" -o "$T/libcaliper.so.2"
cc -Wl,--no-as-needed "$TOP/fixtures/apps/annotated.c" -o "$T/linked" "$T/libroctx64.so.4" "$T/libcaliper.so.2"
LD_LIBRARY_PATH=$T
export LD_LIBRARY_PATH
like "a program that links ROCTX gets its wrapper" "$(tau-record --list "$T/linked" | grep '^roctx ')" ' used '
like "one that links Caliper, too" "$(tau-record --list "$T/linked" | grep '^caliper ')" ' used '
record linked "$T/linked"
is "levels are those of the library" "$(grep levels "$T/linked.out")" "levels 70 71 71"
like "all calls reach ROCTX" "$(cat "$T/linked.err")" 'roctx got 25'
like "and Caliper" "$(cat "$T/linked.err")" 'caliper got 12'
expect linked
tap_end
