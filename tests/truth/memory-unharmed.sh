#!/bin/sh
# memory-unharmed.sh: ordinary programs give the same output and exit status with the memory wrapper in them as without.
. "$(dirname "$0")/../tap.sh"
PRE="$B/libtau.so:$B/libtau-memory.so"
mkdir "$T/run"

# same WHAT COMMAND...: bare and recorded must agree in output, errors and status, and something must have been recorded
same() {
	what=$1
	shift
	if ! command -v "$1" >/dev/null; then skip "$what" "$1 is not installed"; return; fi
	rm -rf "$T/run"; mkdir "$T/run"
	"$@" >"$T/out.bare" 2>"$T/err.bare" </dev/null
	bare=$?
	TAU_RECORD_DIR=$T/run LD_PRELOAD=$PRE "$@" >"$T/out.with" 2>"$T/err.with" </dev/null
	with=$?
	if [ $bare -eq $with ] && cmp -s "$T/out.bare" "$T/out.with" && cmp -s "$T/err.bare" "$T/err.with" &&
		[ -n "$(ls "$T/run")" ]; then
		pass "$what"
	else
		fail "$what"
		echo "#   status $bare and $with, files $(ls "$T/run" | wc -l)"
		diff "$T/out.bare" "$T/out.with" | head -n 3 | sed 's/^/#   /'
		diff "$T/err.bare" "$T/err.with" | head -n 3 | sed 's/^/#   /'
	fi
}

cat >"$T/app.cc" <<'END'
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>
int main()
{
	std::map<std::string, std::vector<int>> m;
	std::vector<std::thread> threads;
	std::shared_ptr<std::string> s;
	size_t sum = 0;

	for (int i = 0; i < 20000; i++)
		m[std::to_string(i * 7919 % 5003)].push_back(i);
	for (auto &k : m)
		sum = sum * 31 + k.second.size() + k.first.size();
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] {
			for (int j = 0; j < 5000; j++)
				std::make_unique<std::string>(j % 200, 'a');
		});
	for (auto &t : threads)
		t.join();
	try {
		s = std::make_shared<std::string>("thrown");
		throw *s;
	} catch (std::string &e) {
		std::cout << e << sum << std::endl;
	}
	return 3;
}
END
ok "a C++ program builds" c++ -O1 "$T/app.cc" -o "$T/app" -lpthread
cat >"$T/script.py" <<'END'
import hashlib, json, os, re, subprocess, threading
d = {str(i): [i] * 5 for i in range(5000)}
s = json.dumps(d)
def work():
    return [bytearray(j % 4000) for j in range(2000)]
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(hashlib.md5(s.encode()).hexdigest(), len(re.findall("9+", s)))
print(subprocess.run(["sh", "-c", "echo from a child; exit 4"], capture_output=True))
pid = os.fork()
if pid == 0:
    d = [str(i) for i in range(10000)]
    os._exit(5)
print(os.waitpid(pid, 0)[1] >> 8)
os.kill(os.getpid(), 15)
END
cat >"$T/script.sql" <<'END'
create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) insert into t select x, hex(x * x) from c;
create index i on t(b);
select count(*), sum(a), max(b) from t where b like '3%';
select nothing from nowhere;
END
# A program that frees blocks by a function that is not wrapped, and their pages with them.
cat >"$T/unseen.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void __libc_free(void *);
int main(void)
{
	for (int i = 0; i < 40; i++) {
		void *p = aligned_alloc(i % 2 ? 4096 : 64l << 20, i % 2 ? 200000 : 64);

		memset(p, 0, 64);
		__libc_free(p);
	}
	return puts("done") < 0;
}
END
ok "a program that frees unseen builds" cc -O1 "$T/unseen.c" -o "$T/unseen"
# A program with an allocator of its own, of which libc's functions and ours know nothing. Its free checks what it gets.
cat >"$T/own.c" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char pool[1 << 22];
static size_t used, frees;
void *malloc(size_t n)
{
	size_t *p = (size_t *)(pool + used);
	used += (n + 31) & ~15ul;
	p[0] = n;
	return used < sizeof(pool) ? p + 1 : NULL;
}
void free(void *p)
{
	if (p && ((char *)p < pool || (char *)p >= pool + sizeof(pool)))
		abort();
	frees += p != NULL;
}
void *calloc(size_t n, size_t m)
{
	return malloc(n * m);
}
void *realloc(void *p, size_t n)
{
	void *q = malloc(n);
	if (q && p)
		memcpy(q, p, ((size_t *)p)[-1] < n ? ((size_t *)p)[-1] : n);
	free(p);
	return q;
}
int main(void)
{
	char *a = strdup("one"), *b = strndup("twenty", 3), *c = NULL, *d = reallocarray(NULL, 10, 10);
	if (asprintf(&c, "%s-%s", a, b) < 0)
		return 1;
	d = reallocarray(d, 20, 10);
	strcpy(d, "done");
	puts(c);
	free(a), free(b), free(c), free(d);
	printf("%s %d\n", d, frees >= 5);
	return 0;
}
END
ok "a program with an allocator of its own builds" ${CC:-cc} -O1 -fno-builtin "$T/own.c" -o "$T/own"
cat >"$T/protected.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	void *p;
	for (int i = 0; i < 60; i++) {
		if (posix_memalign(&p, 4096, 4096 * (1 + i % 7) + i % 5 * 1000))
			return 1;
		memset(p, i, 4096);
		mprotect((char *)p + 4096 * (i % (1 + i % 7)), 4096, PROT_NONE);
	}
	return puts("fine") < 0;
}
END
ok "a program that protects pages of its blocks builds" ${CC:-cc} -O1 "$T/protected.c" -o "$T/protected"
# A userfaultfd without a server has to bring pages of a large block that were given back.
cat >"$T/faulting.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define PAGES 64
static char *block;
static void *kept[100];
int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register r = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || posix_memalign((void **)&block, 4096, PAGES * 4096))
		return puts("no userfaultfd"), 0;
	memset(block, 1, PAGES * 4096);
	for (int i = 0; i < 100; i++)
		kept[i] = malloc(100 + i);
	memcpy(block + 8, kept, sizeof(kept));
	memset(kept, 0, sizeof(kept));
	madvise(block + 4096, 20 * 4096, MADV_DONTNEED);
	madvise(block + 40 * 4096, 3 * 4096, MADV_DONTNEED);
	r.range.start = (uintptr_t)block;
	r.range.len = PAGES * 4096;
	if (ioctl(fd, UFFDIO_REGISTER, &r))
		return puts("not registered"), 0;
	return puts("registered") < 0;
}
END
if ${CC:-cc} -O1 "$T/faulting.c" -o "$T/faulting" 2>/dev/null && [ "$("$T/faulting")" = registered ]; then
	for mode in leaks census events,types leaks,events; do
		timeout 60 tau-record --memory=$mode -o "$T/faulting.run" "$T/faulting" >"$T/faulting.out" 2>&1
		is "pages that a userfaultfd has to bring (--memory=$mode): the program ends" "$? $(head -n 1 "$T/faulting.out")" "0 registered"
		rm -rf "$T/faulting.run"
	done
else
	skip "pages that a userfaultfd has to bring" "no userfaultfd for this user"
fi
seq 1 300000 >"$T/numbers"
same "a program that protects pages of its blocks" "$T/protected"
same "a program that frees unseen" "$T/unseen"
same "a C++ program with threads and exceptions" "$T/app"
same "a program with an allocator of its own" "$T/own"
same "sqlite3" sqlite3 :memory: ".read $T/script.sql"
same "python3 with threads, a fork, a child process and its end by a signal" python3 "$T/script.py"
same "gcc compiling a file" gcc -D_GNU_SOURCE -O1 -I "$TOP" -c "$TOP/analyze/base/base.c" -o "$T/base.o"
same "gcc with an error to report" gcc -c "$T/script.sql" -x c "$T/script.py" -o "$T/none.o"
# With -c xz 5.8 forbids itself to create files (Landlock), and the recorder reports each thread that it has no file for.
same "xz with two threads" sh -c 'xz -T2 -k -f "$1" && cat "$1.xz"' - "$T/numbers"
same "sort of a large file" sort -r "$T/numbers"
same "a shell script with pipes" sh -c 'ls /usr/bin | sort | tail -n 2; exit 7'
same "perl" perl -e 'my %h; $h{$_} = $_ x 10 for 1 .. 20000; print scalar(keys %h), "\n"; exit 9'
tap_end
