# memory-before.sh: blocks that a library's constructor allocated before the recorder started have the time of its start, not that
# of the program's next allocation. Written as main() sleeps: on a busy machine the times lie further apart.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
cat >library.c <<'END'
#include <stdlib.h>
void *volatile kept_by_library;
void library_use(void) {}
__attribute__((constructor)) static void early(void) { kept_by_library = malloc(100000); }
END
cat >main.c <<'END'
#include <stdlib.h>
#include <unistd.h>
void library_use(void);
void *volatile kept;
int main(void) { usleep(400000); library_use(); kept = malloc(333); return 0; }
END
ok "a library builds" ${CC:-cc} -O1 -shared -fPIC -o libbefore.so library.c
ok "and a program with it" ${CC:-cc} -O1 -o main main.c -L. -lbefore -Wl,-rpath,"$T"
for how in "-w memory" --memory=stacks "--memory=maps -w memory"; do
	rm -rf run
	tau-record -o run $how ./main 2>err || fail "cannot record: $(cat err)"
	tau-dump run | awk '/ ALLOC / { time[$0 ~ /bytes=100000$/ ? "library" : $0 ~ /bytes=333$/ ? "main" : "other"] = $2 }
		END { print ("library" in time) + 0, ("main" in time) + 0, (time["main"] - time["library"] >= 0.4) }' >said
	is "$how: both blocks are there, as far apart as main slept" "$(cat said)" "1 1 1"
done
tap_end
