# trace-library.sh: programs that use TAU's library of traces find what the readers of the tools find, whatever the layout of the records;
# cuts and changed bytes give whole records or an error.
. "$(dirname "$0")/../tap.sh"
ldd "$B/tau-record" | grep -q 'lib[at]san' && skip_all "programs without a sanitizer cannot load a library with one"
cd "$T" || exit 1

make -C "$TOP" --no-print-directory B="$B" DESTDIR="$T/stage" PREFIX=/opt/tau install >log 2>&1 </dev/null
at=$T/stage/opt/tau
lib=$at/lib/libTAU_traceinput.so.1
is "the library shows what the headers declare" "$(nm -D --defined-only "$lib" | awk '{ print $3 }' | sort)" \
	"$(sed -n 's/^TTF_API .*\(Ttf_[A-Za-z]*\)(.*/\1/p' "$at"/include/TAU_tf*.h | sort)"
like "it has a soname" "$(readelf -d "$lib")" 'soname: \[libTAU_traceinput.so.1\]'
export PKG_CONFIG_PATH="$at/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$T/stage"
flags="-I$at/include -L$at/lib -lTAU_traceinput"
if command -v pkg-config >/dev/null; then
	is "pkg-config has the version of the programs" "$(pkg-config --modversion TAU_traceinput)" "$(tau-db --version | awk '{ print $NF }')"
	flags=$(pkg-config --cflags --libs TAU_traceinput)
else
	skip "pkg-config has the version of the programs" "no pkg-config"
fi
export LD_LIBRARY_PATH="$at/lib"
ok "the example compiles there" cc -Wall -Wextra -Werror "$at/share/doc/TAU_traceinput/counts.c" $flags -o counts
ok "the header is C++, too" sh -c "echo '#include <TAU_tf.h>' | cc -x c++ -Wall -Wextra -Werror -fsyntax-only -I$at/include -"

cat >writes.c <<'END'
#include <TAU_tf.h>
#include <errno.h>
#include <stdio.h>

int main(void)
{
	Ttf_FileHandleT f = Ttf_OpenFileForOutput("a.trc", "a.edf");
	uint64_t t = 1700000000000000;

	if (!f || Ttf_DefState(f, 2, "early", 7) != -1 || errno != EINVAL)
		return 1;
	if (Ttf_DefStateGroup(f, "a\"b", 8) != -1 || Ttf_SendMessage(f, 1, 0, 0, 65536, 0, 1, 1, 0) != -1 ||
	    Ttf_RecvMessage(f, 1, 65536, 0, 0, 0, 1, 1, 0) != -1)
		return 2;
	for (unsigned node = 0; node < 3; node++)
		Ttf_DefThread(f, node, 0, "a node");
	Ttf_DefStateGroup(f, "MPI", 7);
	Ttf_DefState(f, 9, "outer(int)", 7);
	Ttf_DefState(f, 2, "in \"quotes\"", 7);
	Ttf_DefUserEvent(f, 5, "size", 1);
	for (unsigned i = 0; i < 900; i++) {
		unsigned node = i % 3, next = (node + 1) % 3;

		Ttf_EnterState(f, t++, node, 0, 9);
		if (i % 2) {
			Ttf_EnterState(f, t++, node, 0, 2);
			Ttf_SendMessage(f, t++, node, 0, next, 0, 70000 + i, 300, 5);
			Ttf_RecvMessage(f, t++, node, 0, next, 0, 70000 + i, 300, 5);
			Ttf_LeaveState(f, t++, node, 0, 2);
		}
		Ttf_EventTrigger(f, t++, node, 0, 5, i);
		Ttf_LeaveState(f, t++, node, 0, 9);
		if (i == 500 && Ttf_FlushTrace(f))
			return 1;
	}
	Ttf_CloseOutputFile(f);
	return errno != 0;
}
END
ok "a program that writes a trace compiles" cc -Wall -Wextra -Werror writes.c $flags -o writes
ok "and ends well" ./writes
is "the example counts what was written" "$(./counts a.trc a.edf 2>&1)" '"in "quotes"" entered 450 left 450
"outer(int)" entered 900 left 900
"size" triggered 900 sum 404550
threads 3 ended 3
sent 450 bytes 31702500
received 450 bytes 31702500
last at 4499 us'
tau-dump a.trc >dump
is "tau-dump shows as many" "$(for w in 'ENTER outer' 'ENTER in "quotes"' 'SEND to' 'RECV from' 'EVENT event=size'; do grep -c "$w" dump; done | paste -sd ' ')" \
	"900 450 450 450 900"
is "so does the profile" "$(tau-trace2profile --format csv a.trc | awk -F, '$6 ~ /outer|quotes/ { n[$6] += $8 } END { for (k in n) print n[k] }' | sort -n | paste -sd ' ')" "450 900"

# The other layouts, a cut after each byte of a short trace, each of its bytes changed, seeks, and a trace that grows.
cat >odd.c <<'END'
#include <TAU_tf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int called;

static int event(void *user, double time, unsigned node, unsigned thread, unsigned id)
{
	(void)user, (void)time, (void)node, (void)thread, (void)id;
	called++;
	return 0;
}

static const Ttf_CallbacksT calls = {.EnterState = event, .LeaveState = event};

static void save(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		exit(9);
}

/* Records in all calls; *error: errno of the last one, or of opening (then -1). */
static int all(const char *trc, const char *edf, int *error)
{
	Ttf_FileHandleT h = Ttf_OpenFileForInput(trc, edf);
	int n, sum = 0;

	*error = errno;
	if (!h)
		return -1;
	while ((n = Ttf_ReadNumEvents(h, calls, 7)) > 0)
		sum += n;
	*error = n < 0 ? errno : 0;
	Ttf_CloseFile(h);
	return sum;
}

static void layouts(unsigned char *p, size_t n)
{
	static unsigned char out[1 << 20];
	static const struct { unsigned from, size, to, wide; } field[] = {{0, 4, 0, 8}, {4, 2, 8, 2}, {6, 2, 10, 2}, {8, 8, 16, 8}, {16, 8, 24, 8}};

	for (size_t r = 0; r < n / 24; r++)
		for (int k = 0; k < 5; k++)
			for (unsigned b = 0; b < field[k].size; b++)	/* the last byte is the lowest */
				out[r * 32 + field[k].to + field[k].wide - 1 - b] = p[r * 24 + field[k].from + b];
	save("wide.trc", out, n / 24 * 32);
}

int main(int argc, char **argv)
{
	static unsigned char p[1 << 20];
	FILE *f = fopen(argv[1], "r");
	size_t n = fread(p, 1, sizeof(p), f);
	int error, bad = 0, refused = 0, records = argc > 2 ? 40 : 0;
	Ttf_FileHandleT h;

	fclose(f);
	if (argc == 2)
		return layouts(p, n), 0;
	for (size_t cut = 0; cut <= (size_t)records * 24; cut++) {
		save("cut.trc", p, cut);
		bad += all("cut.trc", argv[2], &error) != (int)(cut / 24) || error;
	}
	printf("cuts with other than their whole records: %d\n", bad);
	for (size_t i = bad = 0; i < (size_t)records * 24; i++) {
		p[i] ^= 0xa5;
		save("cut.trc", p, (size_t)records * 24);
		p[i] ^= 0xa5;
		refused += all("cut.trc", argv[2], &error) < records;
		bad += error && error != EBADMSG;
	}
	printf("changed bytes: %s, other errors: %d\n", refused > 40 ? "some refused" : "none refused", bad);
	for (size_t i = 0; i < 3; i++) {
		save("cut.edf", "3 dynamic_trace_events\n# x\n9 MPI 0 \"a\" EntryExit\n60000 T 0 \"EV_INIT\" none\n", 24 + i * 25);
		called = 0;
		all(argv[1], "cut.edf", &error);
		printf("definitions are cut: %d called, %s\n", called, error == EBADMSG ? "EBADMSG" : "another error");
	}
	printf("a device: %d\n", all("/dev/null", argv[2], &error));
	printf("no file: %d", all("none.trc", argv[2], &error));
	printf(" %d\n", error == ENOENT);
	printf("text: %d", all(argv[2], argv[2], &error));
	printf(" %d\n", error == EBADMSG);

	save("grows.trc", p, 0);
	h = Ttf_OpenFileForInput("grows.trc", argv[2]);
	printf("grows: %d", Ttf_ReadNumEvents(h, calls, 9));
	save("grows.trc", p, 24 * 5 + 3);
	printf(" %d", Ttf_ReadNumEvents(h, calls, 3));
	printf(" %d", Ttf_ReadNumEvents(h, calls, 9));
	save("grows.trc", p, 24 * 6);
	printf(" %d\n", Ttf_ReadNumEvents(h, calls, 9));
	printf("seek: %d", Ttf_AbsSeek(h, 4));
	printf(" %d", Ttf_ReadNumEvents(h, calls, 9));
	printf(" %d", Ttf_AbsSeek(h, -1));
	printf(" %d", Ttf_RelSeek(h, -3));
	printf(" %d", Ttf_RelSeek(h, -3));
	printf(" %d", Ttf_AbsSeek(h, -7));
	printf(" %d\n", Ttf_ReadNumEvents(h, calls, 9));
	Ttf_CloseFile(h);
	printf("no handle: %d %d\n", Ttf_ReadNumEvents(NULL, calls, 1), Ttf_CloseFile(NULL) == NULL);
	return called == 0;
}
END
ok "a program with odd traces compiles" cc -Wall -Wextra -Werror odd.c $flags -o odd
./odd a.trc
is "records of 32 bytes in the other byte order are the same" "$(./counts wide.trc a.edf 2>&1)" "$(./counts a.trc a.edf)"
./odd a.trc a.edf >odd.out
is "it ends" "$?" 0
is "cuts, changes, growth and seeks" "$(cat odd.out)" "cuts with other than their whole records: 0
changed bytes: some refused, other errors: 0
definitions are cut: 0 called, EBADMSG
definitions are cut: 0 called, EBADMSG
definitions are cut: 1 called, EBADMSG
a device: -1
no file: -1 1
text: -1 1
grows: 0 3 2 1
seek: 4 2 5 2 0 0 4
no handle: -1 1"
tap_end
