# The only makefile: finds parts, builds, checks, benches, installs, demonstrates.
#
#   record                -> libtau.so            record/wrap/NAME.c (+ NAME.list) -> libtau-NAME.so
#   analyze convert db    -> libNAME.a            cmd/tau-NAME.c                   -> tau-NAME
#   db/taudb              -> libtaudb.so          db/python record/python          -> installed unchanged
#   cmd/db/db_extension   -> libtau_sqlite.so     convert/traceinput               -> libTAU_traceinput.so
#   tests/unit/NAME.c     -> tests/unit/NAME      tests/*/NAME.sh                  -> run as they are
#   tests/fault/NAME.c    -> tests/fault/NAME, which NAME.sh starts
#   fixtures/apps/*       -> apps/NAME            bench/NAME.sh                    -> make bench
#
# Sources are in these folders or one level below. Everything built goes below $(B). Adding a file of one of these kinds needs no line here.

B ?= build
PREFIX ?= /usr/local
CC ?= cc
AWK ?= awk
OPT ?= -O2
SAN ?=
# Continuous integration sets WERROR=-Werror.
WERROR ?=
WARN = -Wall -Wextra $(WERROR)
# Of what clang writes by default valgrind 3.19 can read nothing, and ends; it reads the version before.
DEBUG := -g $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),-gdwarf-4)
# Builds in different folders have the same bytes.
BASE = -std=gnu11 -D_GNU_SOURCE $(DEBUG) -ffile-prefix-map=$(CURDIR)=. $(OPT) $(WARN)
# CPPFLAGS, CFLAGS and LDFLAGS are the user's: of the environment or of make's command line. They come last, so they win.
CFLAGS_USER := $(strip $(CPPFLAGS) $(CFLAGS))
LDFLAGS_USER := $(LDFLAGS)
CFLAGS_OFF = $(BASE) $(CFLAGS_USER) $(SAN)
# Of these libraries shared objects are made, too.
CFLAGS_LIB = $(CFLAGS_OFF) -fPIC -fvisibility=hidden
# Functions that wrap others, such as swapcontext(), must end by a jump to them: a call would leave a frame on the stack (-O1 makes one).
# The recorder calls its own functions in place of libc's: not the checked ones of _FORTIFY_SOURCE, and none that the linker's optimizer
# makes out of loops. What it calls by the name of a function of its that wraps one is the program's function of this name, if there
# is one (clang would call its own).
CFLAGS_REC_USER = $(filter-out -O0 -Og -flto% -D_FORTIFY_SOURCE% -Wp$(COMMA)-D_FORTIFY_SOURCE% -Wp$(COMMA)-U_FORTIFY_SOURCE%,$(CFLAGS_USER))
CFLAGS_REC = $(BASE) $(CFLAGS_REC_USER) -U_FORTIFY_SOURCE -fno-lto -DTAU_OWN $(SAN) -fPIC -fvisibility=hidden \
	-ftls-model=initial-exec -fno-strict-aliasing -fomit-frame-pointer -foptimize-sibling-calls -fsemantic-interposition
COMMA = ,
MAKEFLAGS += --no-builtin-rules

# Parts that need what is not installed are not built; a tool that needs such a part then reports it.
# Libraries are found by pkg-config, and without a file of its by a header that the compiler finds.
PKG_CONFIG ?= pkg-config
# Since make 4.3 a backslash before # stays where it is in a function.
HASH := \#
find = $(shell $(if $(2),$(PKG_CONFIG) --libs $(2) 2>/dev/null ||) \
	{ echo '$(HASH)include <$(1)>' | $(CC) $(CFLAGS_USER) -E - >/dev/null 2>&1 && echo $(3); })
OTF2 := $(call find,otf2/otf2.h,,-lopen-trace-format2)
CURSES := $(call find,ncurses.h,ncursesw,-lncursesw -ltinfo)
HTTPD := $(call find,microhttpd.h,libmicrohttpd,-lmicrohttpd)
LIB_FLAGS := $(foreach p,libxml-2.0 sqlite3 libdw libelf zlib $(if $(CURSES),ncursesw) $(if $(HTTPD),libmicrohttpd),\
	$(shell $(PKG_CONFIG) --cflags-only-I $(p) 2>/dev/null || { [ $(p) != libxml-2.0 ] || xml2-config --cflags; } 2>/dev/null))
LIB_PLACES := $(foreach p,libxml-2.0 sqlite3 libdw libelf zlib,$(shell $(PKG_CONFIG) --libs-only-L $(p) 2>/dev/null))
# The wrapper mpi is for Open MPI, whose compiler need not be the one that mpicc names; the wrapper mpich is for the MPICH ABI, which
# is recognised by the value of a handle.
MPICC ?= $(shell for c in mpicc mpicc.openmpi; do $$c --showme:compile >/dev/null 2>&1 && command -v $$c && break; done)
MPICC := $(MPICC)
OSHCC := $(shell command -v oshcc 2>/dev/null)
MPI_CFLAGS := $(if $(MPICC),$(shell $(MPICC) --showme:compile))
IS_MPICH = printf '\#include <mpi.h>\nint is[MPI_COMM_WORLD == (MPI_Comm)0x44000000 ? 1 : -1];' | $(CC) -x c -fsyntax-only -
MPICH_FLAGS = $$c -show 2>/dev/null | tr ' ' '\n' | grep '^-I' | tr '\n' ' '
MPICHCC ?= $(shell for c in mpicc.mpich mpicc mpiicc; do command -v $$c >/dev/null && $(IS_MPICH) $$($(MPICH_FLAGS)) 2>/dev/null && \
	command -v $$c && break; done)
MPICHCC := $(MPICHCC)
MPICH_CFLAGS := $(if $(MPICHCC),$(shell c=$(MPICHCC); $(MPICH_FLAGS)))
SHMEM_CFLAGS := $(if $(OSHCC),$(shell $(OSHCC) --showme:compile))

# A wrapper whose interface is not installed is not built, nor that which writes instructions of another machine; tau-record --list
# reports it.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
WRAPS_ALL = $(patsubst record/wrap/%.c,%,$(wildcard record/wrap/*.c))
WRAPS = $(filter-out $(if $(filter x86_64-%,$(MACHINE)),,patch) $(if $(MPICC),,mpi) $(if $(OSHCC),,shmem),$(WRAPS_ALL)) $(if $(MPICHCC),mpich)
COMMANDS = $(patsubst cmd/%.c,%,$(wildcard cmd/tau-*.c))
FUZZ = $(filter-out replay place,$(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)))
UNITS = $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c))
DRIVERS = $(filter $(patsubst tests/fault/%.c,%,$(wildcard tests/fault/*.c)),$(patsubst tests/fault/%.sh,%,$(wildcard tests/fault/*.sh)))

LIBTAU = $(B)/libtau.so
MPI_READER = $(if $(MPICC),$(B)/libtaumpi.so)
WRAP_LIBS = $(WRAPS:%=$(B)/libtau-%.so)
LOAD_LIBS = $(patsubst $(B)/%,$(B)/load-%,$(LIBTAU) $(WRAP_LIBS))
PROGRAMS = $(COMMANDS:%=$(B)/%)
TRACEINPUT = $(B)/libTAU_traceinput.so.1 $(B)/libTAU_traceinput.so
TAUDB = $(B)/libtaudb.so.1 $(B)/libtaudb.so $(B)/libtau_sqlite.so
# What tau-record --make-wrapper needs.
WRAP_MAKING = $(B)/tau-wrapper/gen.awk $(B)/tau-wrapper/tau.h

.PHONY: all help deps apps units check check-all torture fuzz demo paper bench bench-check clean install install-strip uninstall dist tools man
.DEFAULT_GOAL = all
.SECONDARY:

all: tools apps ## build everything
tools: $(LIBTAU) $(WRAP_LIBS) $(LOAD_LIBS) $(B)/libtauf.a $(PROGRAMS) $(MPI_READER) $(TAUDB) $(TRACEINPUT) $(WRAP_MAKING) ## build what is installed, without programs of tests

help: ## list the targets
	@$(AWK) -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

# ---- the recorder ----
REC_SRC = $(filter-out record/wrap/% record/link/% record/own/%,$(wildcard record/*.c record/*/*.c))
REC_OBJ = $(REC_SRC:record/%.c=$(B)/record/%.o)
# These run between two instructions of a patched function, which may have values in any other register.
$(B)/record/enter/function.o $(B)/wrap/patch/entry.o: CFLAGS_REC += $(if $(filter x86_64-%,$(MACHINE)),-mgeneral-regs-only)
$(B)/record/%.o: record/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_REC) -I. -Irecord -MMD -MP -c $< -o $@
# The recorder's own C library: each of its libraries is linked with what it needs of it. What is one function in several files of C
# (#ifdef CALL_NAME) is compiled one by one, because a wrapper must not get a second function of a name that it defines itself.
OWN_FLAGS = $(CFLAGS_REC) -ffreestanding -fno-builtin -I.
OWN_SRC = $(filter-out %/calls.c %/libc.c,$(wildcard record/own/*.c))
OWN_OBJ = $(OWN_SRC:record/own/%.c=$(B)/record/own/%.o)
$(OWN_OBJ): $(B)/record/own/%.o: record/own/%.c
	@mkdir -p $(@D)
	$(CC) $(OWN_FLAGS) -MMD -MP -c $< -o $@
define own_rule
OWN_$(1) = $(patsubst %,$(B)/record/own/$(1)/%.o,$(shell sed -n 's/^#ifdef CALL_//p' record/own/$(1).c))
$$(OWN_$(1)): $(B)/record/own/$(1)/%.o: record/own/$(1).c
	@mkdir -p $$(@D)
	$(CC) $(OWN_FLAGS) -DCALL_$$* -MMD -MP -c $$< -o $$@
endef
$(foreach f,calls libc,$(eval $(call own_rule,$(f))))
OWN = $(B)/libown.a
$(OWN): $(OWN_OBJ) $(OWN_calls) $(OWN_libc)
	@rm -f $@
	ar qcs $@ $^
# Libraries of the recorder stay until the process ends: they have functions that are called then, or when a thread ends.
LDFLAGS_REC = $(filter-out -flto% -O%,$(LDFLAGS_USER)) -fno-lto
# gcc 12 calls this library for bytes on RISC-V.
ATOMIC = $(if $(filter riscv%,$(MACHINE)),-Wl$(COMMA)--as-needed -latomic)
STAYS = -Wl,-z,now -Wl,-z,nodelete
$(LIBTAU): $(REC_OBJ) $(OWN) record/libtau.map
	$(CC) $(SAN) -shared -Wl,-soname,libtau.so $(STAYS) -Wl,--no-undefined -Wl,--version-script=record/libtau.map $(LDFLAGS_REC) \
		$(REC_OBJ) $(OWN) -o $@ -lc $(ATOMIC)

$(B)/tau-wrapper/gen.awk: record/wrap/gen.awk
$(B)/tau-wrapper/tau.h: record/tau.h
$(WRAP_MAKING):
	@mkdir -p $(@D)
	cp $< $@

# What programs written for TAU are linked with, for Fortran and for what C has no header for.
LINK_OBJ = $(patsubst record/link/%.c,$(B)/record/link/%.o,$(wildcard record/link/*.c))
$(LINK_OBJ): $(B)/record/link/%.o: record/link/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS_REC_USER) $(SAN) -fPIC -I. -MMD -MP -c $< -o $@
$(B)/libtauf.a: $(LINK_OBJ)
	@rm -f $@
	ar qcs $@ $^

# What is preloaded: an empty library for each of ours, which makes the GNU loader, and no other, load that (cmd/record/launch/loader.c).
$(B)/load-%.so:
	@mkdir -p $(@D)
	$(CC) -shared -s -nostdlib -Wl,-soname,load-$*.so -Wl,-f,'$$ORIGIN/$*.so' -x c /dev/null -o $@

$(B)/gen/%.gen.c: record/wrap/%.list record/wrap/gen.awk
	@mkdir -p $(@D)
	$(AWK) $(GEN_$*) -f record/wrap/gen.awk $< > $@.tmp && mv $@.tmp $@
WRAP_GEN = $(patsubst record/wrap/%.list,%,$(wildcard record/wrap/*.list))
WFLAGS_mpi = $(MPI_CFLAGS) -DABI_HEADER='"abi_openmpi.h"'
WFLAGS_shmem = $(SHMEM_CFLAGS)
# What several wrappers share, linked into each of them.
WRAP_LOCKS = $(patsubst record/wrap/%.c,$(B)/wrap/%.o,$(wildcard record/wrap/locks/*.c))
WRAP_SHARED_pthread = $(WRAP_LOCKS)
WRAP_SHARED_openmp = $(WRAP_LOCKS)
WRAP_SHARED_mpi = $(B)/wrap/io/names.o
WRAP_SHARED_mpich = $(WRAP_SHARED_mpi)
$(WRAP_LOCKS): $(B)/wrap/%.o: record/wrap/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_REC) -I. -Irecord -fno-plt -MMD -MP -c $< -o $@
# A large wrapper keeps further files in wrap/NAME/. NAME.c includes its generated half as "NAME.gen.c" from $(B)/gen.
WRAP_NOT_mpi = %/abi_mpich.c
# Names of the functions that its header declares, for rows of what not each MPI has.
$(B)/gen/mpi.declared: CFLAGS_MPI = $(MPI_CFLAGS)
$(B)/gen/mpich/mpi.declared: CFLAGS_MPI = $(MPICH_CFLAGS)
$(B)/gen/mpi.declared $(B)/gen/mpich/mpi.declared:
	@mkdir -p $(@D)
	printf '#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n' | $(CC) $(CFLAGS_MPI) -E - | \
		grep -o 'MPIX*_[A-Za-z_0-9]* *(' | tr -d ' (' | sort -u > $@
$(B)/gen/mpi.prototypes: CFLAGS_MPI = $(MPI_CFLAGS)
$(B)/gen/mpich/mpi.prototypes: CFLAGS_MPI = $(MPICH_CFLAGS)
$(B)/gen/mpi.prototypes $(B)/gen/mpich/mpi.prototypes: record/wrap/prototypes.awk
	@mkdir -p $(@D)
	printf '#include <mpi.h>\n' | $(CC) $(CFLAGS_MPI) -E - | $(AWK) -f record/wrap/prototypes.awk | sort -u > $@
$(B)/gen/mpi.gen.c: $(B)/gen/mpi.declared $(B)/gen/mpi.prototypes
$(B)/gen/shmem.declared:
	@mkdir -p $(@D)
	printf '#include <shmem.h>\n#include <shmemx.h>\n' | $(CC) $(SHMEM_CFLAGS) -E - | grep -o 'shmemx*_[a-z_0-9]* *(' | tr -d ' (' | sort -u > $@
$(B)/gen/shmem.gen.c: $(B)/gen/shmem.declared
GEN_shmem = -v declared=$(B)/gen/shmem.declared
GEN_mpi = -v build=openmpi -v declared=$(B)/gen/mpi.declared -v prototypes=$(B)/gen/mpi.prototypes
define wrap_rule
WRAP_OBJ_$(1) = $(patsubst record/wrap/%.c,$(B)/wrap/%.o,record/wrap/$(1).c $(filter-out $(WRAP_NOT_$(1)),$(wildcard record/wrap/$(1)/*.c)))
$$(WRAP_OBJ_$(1)): $(B)/wrap/%.o: record/wrap/%.c $(if $(filter $(1),$(WRAP_GEN)),$(B)/gen/$(1).gen.c)
	@mkdir -p $$(@D)
	$(CC) $$(CFLAGS_REC) -I. -Irecord -I$(B)/gen $$(WFLAGS_$(1)) -fno-plt -MMD -MP -c $$< -o $$@
endef
define wrap_link
$(B)/libtau-$(1).so: $$(WRAP_OBJ_$(1)) $$(WRAP_SHARED_$(1)) $(OWN) $(LIBTAU)
	$(CC) $(SAN) -shared -Wl,-soname,libtau-$(1).so $(STAYS) -Wl,-rpath,'$$$$ORIGIN' $$(LDFLAGS_REC) $$(WRAP_OBJ_$(1)) $$(WRAP_SHARED_$(1)) $(OWN) -o $$@ \
		-L$(B) -Wl,--no-as-needed -ltau -lc $(ATOMIC)
endef
$(foreach w,$(filter-out mpich,$(WRAPS)),$(eval $(call wrap_rule,$(w))))

# The files and rows of the wrapper mpi once more, for the MPICH ABI.
WRAP_OBJ_mpich = $(patsubst record/wrap/%.c,$(B)/mpich/%.o,record/wrap/mpi.c $(filter-out %/abi_openmpi.c,$(wildcard record/wrap/mpi/*.c)))
$(WRAP_OBJ_mpich): $(B)/mpich/%.o: record/wrap/%.c $(B)/gen/mpich/mpi.gen.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_REC) -I. -Irecord -I$(B)/gen/mpich $(MPICH_CFLAGS) -DABI_HEADER='"abi_mpich.h"' -fno-plt -MMD -MP -c $< -o $@
$(B)/gen/mpich/mpi.gen.c: record/wrap/mpi.list record/wrap/gen.awk $(B)/gen/mpich/mpi.declared $(B)/gen/mpich/mpi.prototypes
	@mkdir -p $(@D)
	$(AWK) -v build=mpich -v declared=$(B)/gen/mpich/mpi.declared -v prototypes=$(B)/gen/mpich/mpi.prototypes -f record/wrap/gen.awk $< > $@.tmp && mv $@.tmp $@
$(foreach w,$(WRAPS),$(eval $(call wrap_link,$(w))))

# ---- the offline half ----
# The MPI reader is a shared object of its own. Without the OTF2 library the names of archives and the lengths of their files are known.
APART = convert/mpi/% $(if $(OTF2),convert/otf2/missing.c,$(filter-out %/anchor.c %/whole.c %/missing.c,$(wildcard convert/otf2/*.c)))
sources = $(filter-out $(APART),$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))
define lib_rule
$(B)/lib$(1).a: $(patsubst %.c,$(B)/%.o,$(call sources,$(1)))
	@rm -f $$@
	ar qcs $$@ $$^
$(B)/$(1)/%.o: $(1)/%.c
	@mkdir -p $$(@D)
	$(CC) $(CFLAGS_LIB) -I. $$(OFF_INC) -MMD -MP -c $$< -o $$@
endef
OFF_INC = $(LIB_FLAGS) -I$(B)/gen
$(foreach l,analyze convert db,$(eval $(call lib_rule,$(l))))

$(B)/cmd/monitor/%.o: CFLAGS_OFF += $(if $(CURSES),-DHAVE_NCURSES)
$(B)/cmd/record/doctor/doctor.o: CFLAGS_OFF += $(if $(OTF2),-DHAVE_OTF2) $(if $(CURSES),-DHAVE_NCURSES) $(if $(HTTPD),-DHAVE_MICROHTTPD)
# Libraries of an architecture are in a folder of its name on Debian.
$(B)/cmd/shared/installed.o: CFLAGS_OFF += -DMULTIARCH='"$(subst -pc-,-,$(subst -unknown-,-,$(MACHINE)))"'
$(B)/cmd/shared/http.o: CFLAGS_OFF += $(if $(HTTPD),-DHAVE_MICROHTTPD)
CMD_COMMON = $(patsubst %.c,$(B)/%.o,$(filter-out cmd/tau-%.c cmd/db/db_extension.c,$(call sources,cmd)))
$(B)/cmd/%.o: cmd/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_OFF) -I. $(OFF_INC) -MMD -MP -c $< -o $@
# What tau-record reads of other processes as the recorder reads it of its own. The linker's optimizer does not find what is assembly.
CMD_RECORD = $(B)/cmd/of_record/metric/headroom.o $(B)/cmd/of_record/own/system_call.o $(B)/cmd/of_record/own/object.o
$(CMD_RECORD): $(B)/cmd/of_record/%.o: record/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_OFF) -fno-lto -I. -MMD -MP -c $< -o $@
$(B)/cmd/libcmd.a: $(CMD_COMMON) $(CMD_RECORD)
	@rm -f $@
	ar rcs $@ $^
OFF_LIBS = $(B)/cmd/libcmd.a $(B)/libdb.a $(B)/libconvert.a $(B)/libanalyze.a
OFF_LINK = $(LIB_PLACES) -Wl,--as-needed $(OTF2) -lsqlite3 -ldw -lelf -lz -lxml2 $(CURSES) $(HTTPD) -liberty -lm
# The doctor opens OpenSHMEM at run time, which takes all writable memory below the first _end for variables of the program, at most 32
# pieces. Programs that are linked with it export theirs, so tau-record does.
$(B)/tau-record: OFF_LINK += -Wl,--export-dynamic-symbol=_end
$(B)/tau-%: $(B)/cmd/tau-%.o $(OFF_LIBS)
	$(CC) $(CFLAGS_OFF) $(LDFLAGS_USER) $^ -o $@ $(OFF_LINK)

# The schema is text for people and bytes for the library.
$(B)/gen/%.inc: db/%.sql
	@mkdir -p $(@D)
	$(AWK) '{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); print "\"" $$0 "\\n\"" }' $< > $@
$(B)/db/schema.o: $(B)/gen/schema.inc $(B)/gen/schema_values.inc $(B)/gen/schema_counters.inc $(B)/gen/schema_messages.inc \
	$(B)/gen/schema_sums.inc $(B)/gen/schema_views.inc

# The store for programs of users: only what taudb.h declares is visible.
$(B)/libtaudb.so.1: $(patsubst %.c,$(B)/%.o,$(wildcard db/taudb/*.c)) $(B)/libdb.a $(B)/libanalyze.a
	$(CC) $(CFLAGS_LIB) $(LDFLAGS_USER) -shared -Wl,-soname,libtaudb.so.1 -Wl,--no-undefined -Wl,--exclude-libs,ALL $^ -o $@ $(LIB_PLACES) -lsqlite3 -lpthread -lm
# TAU traces for programs of users: only what TAU_tf.h and TAU_tf_writer.h declare is visible.
$(B)/libTAU_traceinput.so.1: $(patsubst %.c,$(B)/%.o,$(wildcard convert/traceinput/*.c)) $(B)/libconvert.a $(B)/libanalyze.a
	$(CC) $(CFLAGS_LIB) $(LDFLAGS_USER) -shared -Wl,-soname,libTAU_traceinput.so.1 -Wl,--no-undefined -Wl,--exclude-libs,ALL $^ -o $@ $(LIB_PLACES) -Wl,--as-needed -lz -lm
$(B)/libtaudb.so $(B)/libTAU_traceinput.so: %.so: %.so.1
	ln -sf $(<F) $@

# The tables of traces for programs with SQLite: its files call SQLite as extensions do.
EXTENSION = cmd/db/db_extension cmd/db/db_trace db/events
$(B)/extension/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_LIB) -include db/extension.h -I. $(OFF_INC) -MMD -MP -c $< -o $@
$(B)/libtau_sqlite.so: $(EXTENSION:%=$(B)/extension/%.o) $(B)/libconvert.a $(B)/libanalyze.a
	$(CC) $(CFLAGS_LIB) $(LDFLAGS_USER) -shared -Wl,-soname,libtau_sqlite.so -Wl,--no-undefined -Wl,--exclude-libs,ALL $^ -o $@ $(filter-out -lsqlite3,$(OFF_LINK)) -lpthread

# So are the style and the scripts of pages and pictures.
text_rule = $(B)/gen/$(basename $(1))_$(subst .,,$(suffix $(1))).inc
define page_rule
$(call text_rule,$(1)): $(2)/$(1)
	@mkdir -p $$(@D)
	$(AWK) '{ gsub(/\\/, "&&"); gsub(/"/, "\\\""); print "\"" $$$$0 "\\n\"" }' $$< > $$@
endef
$(foreach f,page.css page.js flame.js,$(eval $(call page_rule,$(f),cmd/picture)))
VIEW_PAGE = view.html view.css view.js view_base.js view_beside.js view_curves.js view_instances.js view_legend.js view_lines.js view_moments.js view_order.js \
	view_reports.js view_rows.js view_store.js
$(foreach f,$(VIEW_PAGE),$(eval $(call page_rule,$(f),cmd/view)))
$(B)/cmd/picture/page.o: $(B)/gen/page_css.inc $(B)/gen/page_js.inc
$(B)/cmd/picture/flame.o: $(B)/gen/flame_js.inc
$(B)/cmd/view/view_serve.o: $(foreach f,$(VIEW_PAGE),$(call text_rule,$(f)))

# The queries of tau-db with a name: rows of a C table, and the manual page, which is kept with the sources.
QUERIES = db/queries_columns.sql db/queries.sql db/queries_counters.sql
$(B)/gen/queries.inc: db/queries.awk $(QUERIES)
	@mkdir -p $(@D)
	$(AWK) -f db/queries.awk $(QUERIES) > $@.tmp && mv $@.tmp $@
$(B)/db/named.o: $(B)/gen/queries.inc
# What the lists of wrappers exclude.
$(B)/gen/skips.inc: record/wrap/mpi.list record/wrap/shmem.list
	@mkdir -p $(@D)
	$(AWK) '$$1 == "skip" { printf "\t\"%s\",\n", $$2 }' $^ > $@
$(B)/cmd/record/wrappers/unwrapped.o: $(B)/gen/skips.inc
man: $(PROGRAMS) ## make the manual pages that are made from other files
	$(AWK) -v out=man -v head=man/tau-queries.7 -f db/queries.awk $(QUERIES) > $(B)/gen/tau-queries.7
	mv $(B)/gen/tau-queries.7 man/tau-queries.7
	for p in $(notdir $(PROGRAMS)); do grep -q '^\.\\" Rows of --help' man/$$p.1 || continue; \
		$(B)/$$p --help=man > $(B)/gen/$$p.rows && \
		$(AWK) -v rows=$(B)/gen/$$p.rows -f man/rows.awk man/$$p.1 > $(B)/gen/$$p.1 && mv $(B)/gen/$$p.1 man/$$p.1 || exit 1; done

# ---- test programs ----
# About a hundred are linked with all libraries: with gold in a third of the time.
# With -flto it does not find what the compiler's own library has.
GOLD := $(if $(findstring -flto,$(CFLAGS_USER) $(LDFLAGS_USER)),,$(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold))
$(B)/tests/unit/%: CFLAGS_OFF += $(if $(OTF2),-DHAVE_OTF2)
$(B)/tests/unit/%: tests/unit/%.c $(OFF_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_OFF) -Itests -I. $(OFF_INC) -MMD -MP -MF $@.d $< $(OFF_LIBS) -o $@ $(OFF_LINK) $(GOLD)
# A fuzz target is one function; with a main that feeds files every compiler can replay it. place.c gives its readers files
# that only exist in memory, and gets these calls of theirs.
PLACE_CALLS = open close read pread stat lstat fstat fopen opendir readdir closedir dirfd access realpath _exit \
	mkostemp fchmod fdopen rename unlink
FUZZ_MAIN = tests/fuzz/replay.c
$(B)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c tests/fuzz/place.c $(wildcard tests/fuzz/*.h) $(OFF_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_OFF) -I. $< $(FUZZ_MAIN) tests/fuzz/place.c $(PLACE_CALLS:%=-Wl,--wrap=%) $(OFF_LIBS) -o $@ $(OFF_LINK) $(GOLD)
$(B)/tests/fault/%: tests/fault/%.c $(OFF_LIBS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_OFF) -Itests -I. -MMD -MP -MF $@.d $< $(OFF_LIBS) -o $@ $(OFF_LINK) $(GOLD)
units: $(UNITS:%=$(B)/tests/unit/%) $(FUZZ:%=$(B)/tests/fuzz/%) $(DRIVERS:%=$(B)/tests/fault/%)

include fixtures/apps/apps.mk

# ---- reading in parallel: loaded by the programs under a launcher ----
$(B)/libtaumpi.so: convert/mpi/transport.c convert/mpi/transport.h
	@mkdir -p $(@D)
	$(MPICC) $(CFLAGS_OFF) $(LDFLAGS_USER) -I. -fPIC -fvisibility=hidden -shared $< -o $@

# ---- checks ----
# What builds before it runs something builds on all cores, unless -j was given.
SIDE_BY_SIDE = $(if $(filter --jobserver%,$(MAKEFLAGS)),,-j $(shell nproc))

# NEEDS: of what: build, test, bench, torture.
deps: ## install what Debian has of what the project needs (NEEDS="build test")
	@sh tests/deps.sh $(NEEDS)

check: ## run the tests but those in tests/long (installs and builds what they need)
	@$(MAKE) --no-print-directory deps NEEDS="build test"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all units
	@sh tests/run.sh

check-all: ## all tests, those that take long too, and again on builds with the sanitizers
	@$(MAKE) --no-print-directory deps NEEDS="build test bench"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all units
	@sh tests/run.sh --all

# Fuzzing wants clang. READER: which (all); RUNS and SECONDS: of each, whichever ends first (0: no bound); JOBS: at a time.
FUZZ_CC ?= clang
READER ?= $(FUZZ)
RUNS ?= 100000
SECONDS ?= 0
JOBS ?= 1
# What guides the fuzzer: branches and compared values, which finds more in a run; for runs without end, branches alone are twice as
# fast: GUIDE=-fsanitize-coverage=inline-8bit-counters,pc-table OPTIONS=-entropic=0
GUIDE ?= -fsanitize=fuzzer-no-link
fuzz: ## fuzz the readers of files with libFuzzer (READER="otf2 trc" RUNS=10000000 SECONDS=600 JOBS=2)
	@command -v $(FUZZ_CC) >/dev/null || { echo "make fuzz needs clang and its sanitizers (Debian: clang, libclang-rt-14-dev)"; exit 1; }
	@$(MAKE) --no-print-directory B=$(B)/fuzz CC=$(FUZZ_CC) FUZZ_MAIN=-fsanitize=fuzzer \
		SAN="$(GUIDE) -fsanitize=address,undefined -fno-sanitize-recover=undefined" $(READER:%=$(B)/fuzz/tests/fuzz/%)
	@B=$(abspath $(B)/fuzz) RUNS=$(RUNS) LIMIT=$(SECONDS) JOBS=$(JOBS) sh tests/fuzz.sh $(READER)

torture: ## kill, stress and compare programs with and without the recorder, for hours (TORTURE_ONLY="kills stress redis")
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all $(B)/tests/fault/kills
	@B=$(abspath $(B)) sh tests/torture/run

demo: ## record a real OpenSHMEM program at 2, 4, 8 and 16 PEs and report what grows; MPI=mpich: with MPICH
	@$(MAKE) --no-print-directory deps NEEDS=build
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) tools $(if $(filter mpich,$(MPI)),$(B)/apps/mpich/gupsmpi,$(B)/apps/gups)
	@MPI=$(MPI) sh fixtures/demo.sh $(B)

paper: ## the object types of the published method beside what the installed Open MPI has
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) tools $(B)/apps/gups
	@sh fixtures/paper.sh $(B)

bench: ## measure the costs that tau-costs(7) quotes, as ratios in one run
	@$(MAKE) --no-print-directory deps NEEDS="build bench"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) all
	@set -e; for b in bench/*.sh; do echo "== $$b"; sh $$b; done

bench-check: ## compare instructions per event, MPI call, malloc and event read with bench/check.table: 3 % more fails
	@$(MAKE) --no-print-directory deps NEEDS="build"
	@$(MAKE) --no-print-directory $(SIDE_BY_SIDE) tools
	@CC="$(CC)" OPT="$(OPT)" CFLAGS="$(CFLAGS_USER)" CPPFLAGS= LDFLAGS="$(LDFLAGS_USER)" SAN="$(SAN)" B="$(abspath $(B))" sh bench/check.sh

clean: ## remove what was built
	rm -rf $(B)

# What Python on this machine searches below PREFIX; the module finds the library from there.
PYTHON_VERSION = $(shell python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo 3)
PYTHON_DIR ?= lib/python$(if $(filter /usr,$(PREFIX)),3,$(PYTHON_VERSION))/dist-packages
VERSION = $(shell sed -n 's/^.define TAU_VERSION "\(.*\)"/\1/p' cmd/shared/version.h)
HEADERS = record/tau.h record/TAU.h record/tau_calls.h record/tau_cxx.h record/tau_metadata.h record/tau_sizes.h record/tau_sums.h record/tau.f90 \
	record/tau.inc
# TAU's names of compilers and of what makefiles include; words of a makefile's name choose (record/link/Makefile.tau).
TAU_SCRIPTS = tau_cc.sh tau_cxx.sh tau_f90.sh tau_f77.sh
TAU_MAKEFILES = mpi openmp pthread shmem mpi-openmp mpi-pthread
LIBDIR ?= $(PREFIX)/lib
# What is installed, and removed, as MODE:SOURCE:PLACE (packaging/install.sh). What is loaded into programs, or by ours, and is not for
# linkers is below LIBDIR/tau.
under = $(foreach f,$(2),$(1):$(f):$(3)/$(notdir $(f)))
links = $(foreach f,$(2),link:$(1):$(3)/$(f))
MANIFEST = $(call under,755,$(PROGRAMS) record/link/tau_compiler.sh,bin) 755:record/link/tau_exec.sh:bin/tau_exec \
	$(call links,tau_compiler.sh,$(TAU_SCRIPTS),bin) $(call links,tau_exec,tau_python,bin) \
	$(call under,755,$(LIBTAU) $(WRAP_LIBS) $(LOAD_LIBS) $(MPI_READER) $(B)/libtau_sqlite.so,lib/tau) $(call links,tau/libtau.so,libtau.so,lib) \
	$(call under,755,$(filter %.1,$(TAUDB) $(TRACEINPUT)),lib) \
	$(call links,libtaudb.so.1,libtaudb.so,lib) $(call links,libTAU_traceinput.so.1,libTAU_traceinput.so,lib) \
	$(call under,644,$(B)/libtauf.a,lib) 644:record/link/Makefile.tau:lib/Makefile.tau $(call links,Makefile.tau,$(TAU_MAKEFILES:%=Makefile.tau-%),lib) \
	$(call under,644,$(WRAP_MAKING),lib/tau/tau-wrapper) \
	$(call under,644,$(HEADERS) db/taudb/taudb.h cmd/shared/tau_plugin.h $(wildcard convert/traceinput/TAU_tf*.h),include) \
	$(call under,644,$(wildcard record/Profile/*.h),include/Profile) 644:record/tau.inc:include/Profile/TauFAPI.h \
	$(foreach f,packaging/tau db/taudb/taudb convert/traceinput/TAU_traceinput,fill:$(f).pc.in:lib/pkgconfig/$(notdir $(f)).pc) \
	$(foreach f,tauConfig tauConfigVersion,fill:packaging/$(f).cmake.in:lib/cmake/tau/$(f).cmake) \
	fill:packaging/module.in:share/modulefiles/tau-tools/$(VERSION) \
	$(call under,644,db/python/taudb.py record/python/tau.py record/python/pytau.py,./$(PYTHON_DIR)) \
	$(call under,644,$(wildcard fixtures/plugins/*),share/doc/tau-plugin) $(call under,644,$(wildcard fixtures/taudb/*),share/doc/taudb) \
	$(call under,644,$(wildcard fixtures/traceinput/*),share/doc/TAU_traceinput) $(call under,644,$(wildcard fixtures/tutorial/*),share/doc/tau-tutorial) \
	$(call under,644,README.md NEWS LICENSE man/memory-scaling.svg,share/doc/tau-tools) \
	$(foreach p,$(wildcard man/*.[1-9]),page:$(p):share/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	link:tau_exec.1.gz:share/man/man1/tau_python.1.gz \
	644:packaging/completion/tau.bash:share/bash-completion/completions/tau-record \
	$(call links,tau-record,$(filter-out tau-record,$(COMMANDS)),share/bash-completion/completions) \
	644:packaging/completion/_tau.zsh:share/zsh/site-functions/_tau \
	$(foreach p,$(COMMANDS),644:packaging/completion/tau.fish:share/fish/vendor_completions.d/$(p).fish)
INSTALL = VERSION=$(VERSION) STRIP="$(STRIP)" sh packaging/install.sh
install: tools ## install below DESTDIR/PREFIX, libraries in LIBDIR (default PREFIX/lib)
	@$(INSTALL) install "$(DESTDIR)" "$(PREFIX)" "$(LIBDIR)" $(MANIFEST)

install-strip: tools ## the same without debug information
	@$(MAKE) --no-print-directory install STRIP=strip

uninstall: ## remove what install put there
	@$(INSTALL) uninstall "$(DESTDIR)" "$(PREFIX)" "$(LIBDIR)" $(MANIFEST)

dist: ## make tau-tools-VERSION.tar.gz of what is committed
	git archive --prefix=tau-tools-$(VERSION)/ -o tau-tools-$(VERSION).tar.gz HEAD

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d $(B)/*/*/*/*.d)
