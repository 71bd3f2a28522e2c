# gen.awk: turns NAME.list, one row per function, into the generated half of a wrapper: gen.awk NAME.list > NAME.gen.c
#
# The list. Blank lines and lines that begin with # are ignored; a line that ends in \ goes on in the next.
#
#   group NAME              the group of every region; the region of a row is "FUNCTION()"
#   real FROM TO            the real function of FROMxyz is the symbol TOxyz; without this line it bears the row's name. The
#                           generated functions then call what void *wrap_find_below(struct wrap_function *) finds: a layer
#                           of the user's that defines FROMxyz, too, or the real function. Hooks call the real one
#   after EXPR              what every CLASS_after gets as its second argument, in terms of `ret` (default 1)
#   enters CLASS ...        classes that enter their region themselves, in one step with what they record before the call
#   leaves CLASS ...        the same, of leaving it and what they record after
#   finally STATEMENT       comes last in every recorded call, after its region was left
#   outermost [EXPR]        of nested calls in one thread only the outermost is recorded, and those inside it where EXPR is true, in
#                           terms of `f`, its struct wrap_function; `caller`, the address that it returns to; `bound`, whether it is a
#                           call of the real symbol (see binding); and `outer`, the struct wrap_function of the recorded call
#                           around it, NULL if that is a call of its real symbol
#   binding EXPR            also define the real symbol of each row; calls of it are recorded where EXPR is true and go
#                           straight through elsewhere (such as the C half of a Fortran binding); EXPR may name
#                           wrap_f, the struct wrap_function of the row
#   usable EXPR             where EXPR is false, as in a process with another implementation of the library, calls are passed on only
#   types SET: N=T, N=T     a set of types: what replaces <N> and <T> in a row with types=SET
#
#   RET NAME(ARGS) [class=CLASS(EXPR, ...)] [after=EXPR] [always=STATEMENT] [made=STATEMENT] [types=SET]
#                           one function (with types=SET one for each type of the set). The arguments need names.
#                           class: a pair of hooks, see below; without it the call is entered and left, no more.
#                           after: replaces the list's `after` in this row. always: comes first in every call, recorded
#                           or not (such as forgetting a handle that is about to be freed). made: the same after the real
#                           call, in terms of `ret`.
#   own RET NAME(ARGS)      the same, but the function itself is written by hand (such as variadic ones)
#   fortran NAME N          Fortran entries of NAME with N arguments, all by reference, that call no C function;
#                           spelled mpi_x, mpi_x_, mpi_x__, MPI_X, ompi_x_f (real: pmpi_x_), and mpi_x_f08_ (pmpi_x_f08_)
#   f08 FROM TO             the real function of mpi_x_f08_ has TO for its FROM
#   only [WORD]             what follows is for `gen.awk -v build=WORD` alone; only declared: each row for headers with such a function,
#                           whose names are the lines of -v declared=FILE; without a word: for all again
#   layers MACRO            MACRO(NAME, name_) for each row that returns int, but those with a `fortran` line: its Fortran entries
#                           name_ and name_f08_, and with an f08 line name_f08ts_
#   skip NAME REASON        declared by the header, not wrapped
#   rest                    each function of -v prototypes=FILE, a prototype on a line, that has neither row nor skip gets a row. That of
#                           NAME_c, which has larger numbers as arguments, is the row of NAME with the types of the prototype
#
# The generated file is included twice. The first time it gives
#   struct wrap_function, wrap_table[], an index WRAP_<NAME> for every row,
#   real_<NAME>(ARGS)       calls the real function and nothing else: what hooks use
#   wrap_begin(f), wrap_end(f, saved_errno)   for functions written by hand
# and needs:                void *wrap_find(const char *symbol), which finds the real function (never NULL: what cannot be
#                         found becomes a function that returns an error).
# The second time, with WRAP_ENTRIES defined, in one file only, it gives the table and all the functions, and needs for
# each CLASS that the rows name:
#   struct CLASS_call       the state of one call, on its stack
#   CLASS_before(struct CLASS_call *, EXPR, ...)     runs between entering the region and the real call
#   CLASS_after(struct CLASS_call *, AFTER)          runs between the real call and leaving the region
# or, of classes under `enters` and `leaves`,
#   int CLASS_enter(struct CLASS_call *, uint32_t region, EXPR, ...)   is tau_call(), and CLASS_before() if that returns 1
#   CLASS_leave(struct CLASS_call *, uint32_t region, AFTER)           is CLASS_after(), then tau_leave()
# EXPR is evaluated before the call, so results are handed over as the pointers that the arguments are.
# errno is, for the program, what the real function left.
# While nothing is recorded a call costs two tests. `make` stops on a row whose prototype the header contradicts.

BEGIN {
	rows = fortrans = 0
	while (declared != "" && (getline name < declared) > 0)
		known[name] = 1
}
function fail(text) { printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"; failed = 1; exit 1 }
function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }

# Value of attribute `key` in `attrs`: up to the next attribute.
function attribute(attrs, key,    at, value) {
	at = match(attrs, "(^| )" key "=")
	if (!at)
		return ""
	value = substr(attrs, at + RLENGTH)
	if (match(value, / (class|after|always|made|types)=/))
		value = substr(value, 1, RSTART - 1)
	return trim(value)
}

# "const void *buf, int n[]" -> "buf, n"
function names_of(args,    n, i, part, piece, out) {
	if (args == "void" || args == "")
		return ""
	n = split(args, part, ",")
	for (i = 1; i <= n; i++) {
		piece = part[i]
		if (piece ~ /\.\.\./)
			continue
		gsub(/\[[^]]*\]/, "", piece)
		if (!match(piece, /[A-Za-z_][A-Za-z_0-9]*[ \t]*$/))
			fail("an argument without a name: " args)
		out = out (out == "" ? "" : ", ") trim(substr(piece, RSTART))
	}
	return out
}

function replace(s, from, to,    at, out) {
	while ((at = index(s, from))) {
		out = out substr(s, 1, at - 1) to
		s = substr(s, at + length(from))
	}
	return out s
}

# Is the function for this build?
function wanted(name) { return only == "" || only == build || (only == "declared" && name in known) }

function add(text, own,    open, close_, head, name, attrs) {
	open = index(text, "(")
	close_ = index(text, ")")
	head = trim(substr(text, 1, open - 1))
	if (!open || close_ < open || !match(head, /[A-Za-z_][A-Za-z_0-9]*$/))
		fail("not a row: " text)
	name = substr(head, RSTART)
	if (!wanted(name))
		return
	if (name in row_of)
		fail("a second row for " name)
	row_of[name] = rows
	row_name[rows] = name
	row_ret[rows] = trim(substr(head, 1, RSTART - 1))
	row_args[rows] = trim(substr(text, open + 1, close_ - open - 1))
	row_names[rows] = names_of(row_args[rows])
	attrs = trim(substr(text, close_ + 1))
	row_class[rows] = attribute(attrs, "class")
	row_after[rows] = attribute(attrs, "after")
	row_always[rows] = attribute(attrs, "always")
	row_made[rows] = attribute(attrs, "made")
	row_own[rows] = own
	if (attrs != "" && attrs !~ /^(class|after|always|made|types)=/)
		fail("what is this: " attrs)
	rows++
}

function add_types(text, own,    set, n, i, pair, eq, one) {
	set = attribute(text, "types")
	if (set == "") {
		add(text, own)
		return
	}
	if (!(set in types))
		fail("no such set of types: " set)
	n = split(types[set], pair, ",")
	for (i = 1; i <= n; i++) {
		eq = index(pair[i], "=")
		if (!eq)
			fail("a type is N=T: " pair[i])
		one = replace(text, "<N>", trim(substr(pair[i], 1, eq - 1)))
		add(replace(one, "<T>", trim(substr(pair[i], eq + 1))), own)
	}
}

{
	sub(/[ \t]+$/, "")
	if (sub(/\\$/, "")) {
		held = held $0
		next
	}
	line = held $0
	held = ""
	gsub(/[ \t]+/, " ", line)
	line = trim(line)
}
line == "" || line ~ /^#/ { next }
line ~ /^group / { group = substr(line, 7); next }
line ~ /^real / { split(line, word, " "); from = word[2]; to = word[3]; next }
line ~ /^after / { after = substr(line, 7); next }
line ~ /^binding / { binding = substr(line, 9); next }
line ~ /^usable / { usable = substr(line, 8); next }
line ~ /^layers / { if (wanted("")) layers = substr(line, 8); next }
line ~ /^finally / { finally = substr(line, 9); next }
line == "outermost" { outermost = "0"; next }
line ~ /^outermost / { outermost = substr(line, 11); next }
line ~ /^(enters|leaves) / {
	n = split(line, word, " ")
	for (i = 2; i <= n; i++)
		joined[word[1], word[i]] = 1
	next
}
line == "only" { only = ""; next }
line ~ /^only / { only = substr(line, 6); next }
line ~ /^f08 / { split(line, word, " "); if (wanted("")) { f08_from = word[2]; f08_to = word[3] } next }
line ~ /^skip / { split(line, word, " "); skipped[word[2]] = 1; next }
line == "rest" { rest = 1; next }
line ~ /^types / {
	at = index(line, ":")
	types[trim(substr(line, 7, at - 7))] = substr(line, at + 1)
	next
}
line ~ /^fortran / {
	split(line, word, " ")
	if (!wanted(word[2]))
		next
	is_fortran[word[2]] = 1
	fortran_name[fortrans] = word[2]
	fortran_args[fortrans++] = word[3]
	next
}
line ~ /^own / { add_types(substr(line, 5), 1); next }
{ add_types(line, 0) }

function symbol_of(name) {
	if (from != "" && index(name, from) == 1)
		return to substr(name, length(from) + 1)
	return name
}

# The recorded call that a thread is in is known by its frame; those around it are in a list. A call with an older frame is not
# inside it, and neither is one that finds another return address in that frame: it was left by longjmp or an exception.
function outermost_declarations() {
	print "struct wrap_outer {\n\tvoid **frame, *back;\n\tstruct wrap_function *f;\n\tunsigned around;\t/* calls in the list */\n};"
	print "extern __thread struct wrap_outer wrap_outer __attribute__((visibility(\"hidden\")));"
	print "int wrap_look_inner(struct wrap_function *f, void **frame, int bound) __attribute__((visibility(\"hidden\")));"
	print "void wrap_inside(void) __attribute__((visibility(\"hidden\")));"
	print "void wrap_outside(void **frame) __attribute__((visibility(\"hidden\")));"
}

function outermost_functions() {
	print "enum { WRAP_AROUND = 8 };"
	print "__thread struct wrap_outer wrap_outer;"
	print "static __thread struct wrap_outer wrap_few[WRAP_AROUND], *wrap_more;\nstatic __thread unsigned wrap_room;"
	print "static struct wrap_outer *wrap_list(unsigned n)\n{"
	print "\treturn n < WRAP_AROUND ? &wrap_few[n] : &wrap_more[n - WRAP_AROUND];\n}"
	print "static int wrap_has_room(void)\n{"
	print "\tunsigned n = wrap_room ? 2 * wrap_room : 8 * WRAP_AROUND;\n\tstruct wrap_outer *more;\n"
	print "\tif (wrap_outer.around < WRAP_AROUND + wrap_room)\n\t\treturn 1;"
	print "\tmore = tau_map(n * sizeof(*more));\n\tif (!more)\n\t\treturn 0;"
	print "\tfor (unsigned i = 0; i < wrap_room; i++)\n\t\tmore[i] = wrap_more[i];"
	print "\twrap_more = more;\n\twrap_room = n;\n\treturn 1;\n}"
	print "void wrap_inside(void)\n{\n\t*wrap_list(wrap_outer.around) = wrap_outer;\n\twrap_outer.around++;\n}"
	print "static void wrap_pop(void)\n{"
	print "\tif (wrap_outer.around)\n\t\twrap_outer = *wrap_list(wrap_outer.around - 1);"
	print "\telse\n\t\twrap_outer.frame = NULL;\n}"
	print "/* The call of that frame was left, and all inside it. */"
	print "void wrap_outside(void **frame)\n{"
	print "\tdo\n\t\twrap_pop();"
	print "\twhile (wrap_outer.frame && (uintptr_t)wrap_outer.frame <= (uintptr_t)frame);\n}"
	print "int wrap_look_inner(struct wrap_function *f, void **frame, int bound)\n{"
	print "\tstruct wrap_function *outer;\n\tvoid *caller = frame[1];\n"
	print "\twhile (wrap_outer.frame && ((uintptr_t)frame >= (uintptr_t)wrap_outer.frame || wrap_outer.frame[1] != wrap_outer.back))"
	print "\t\twrap_pop();"
	print "\touter = wrap_outer.f;\n\t(void)f, (void)outer, (void)caller, (void)bound;"
	printf "\treturn wrap_outer.frame && (!(%s) || !wrap_has_room());\n}\n", outermost
}

function below_declarations() {
	print "void *wrap_find_below(struct wrap_function *f);"
	print "static __attribute__((noinline, unused)) void *wrap_look_below(struct wrap_function *f)\n{"
	print "\tvoid *below = wrap_find_below(f);\n"
	print "\t__atomic_store_n(&f->below, below, __ATOMIC_RELAXED);"
	print "\treturn below;\n}"
	print "static inline __attribute__((always_inline, unused)) void *wrap_below(struct wrap_function *f)\n{"
	print "\tvoid *below = __atomic_load_n(&f->below, __ATOMIC_RELAXED);\n"
	print "\treturn __builtin_expect(!!below, 1) ? below : wrap_look_below(f);\n}"
}

function declarations(    i) {
	print "#ifndef WRAP_ENTRIES"
	print "#include <errno.h>"
	print "#include <stdint.h>"
	print "struct wrap_function {"
	print "\tconst char *region, *symbol, *plain;"
	print "\tvoid *real;\t/* found at the first call */"
	print "\tvoid *below;\t/* the same: what a call of `plain` goes on to */"
	print "\tuint32_t id;\t/* of the region, 0 before the first recorded call */"
	print "};"
	print "enum wrap_index {"
	for (i = 0; i < rows; i++)
		printf "\tWRAP_%s,\n", row_name[i]
	for (i = 0; i < fortrans; i++)
		printf "\tWRAP_F_%s,\n\tWRAP_F08_%s,\n", fortran_name[i], fortran_name[i]
	print "\tWRAP_FUNCTIONS\n};"
	print "extern struct wrap_function wrap_table[WRAP_FUNCTIONS] __attribute__((visibility(\"hidden\")));"
	print "void *wrap_find(const char *symbol);"
	if (outermost)
		outermost_declarations()
	print "static __attribute__((noinline, unused)) void *wrap_look(struct wrap_function *f)\n{"
	print "\tvoid *real = wrap_find(f->symbol);\n"
	print "\t__atomic_store_n(&f->real, real, __ATOMIC_RELAXED);"
	print "\treturn real;\n}"
	print "static inline __attribute__((always_inline)) void *wrap_real(struct wrap_function *f)\n{"
	print "\tvoid *real = __atomic_load_n(&f->real, __ATOMIC_RELAXED);\n"
	print "\treturn __builtin_expect(!!real, 1) ? real : wrap_look(f);\n}"
	if (from != "")
		below_declarations()
	print "static __attribute__((noinline, unused)) uint32_t wrap_define(struct wrap_function *f)\n{"
	print "\tuint32_t id = 0;\n"
	printf "\tif (%stau_active() && !tau_inside())\n", usable == "" ? "" : "(" usable ") && "
	printf "\t\tid = tau_region(f->region, \"%s\", NULL, 0);\n", group
	print "\tif (id)\n\t\t__atomic_store_n(&f->id, id, __ATOMIC_RELAXED);"
	print "\treturn id;\n}"
	print "/* bound: of a call of the real symbol. */"
	print "static inline __attribute__((always_inline)) uint32_t wrap_region(struct wrap_function *f, void **frame, int bound)\n{"
	print "\tuint32_t id;\n"
	print outermost ? "\tif (__builtin_expect(wrap_outer.frame != NULL, 0) && wrap_look_inner(f, frame, bound))\n\t\treturn 0;" : \
		"\t(void)frame, (void)bound;"
	print "\tid = __atomic_load_n(&f->id, __ATOMIC_RELAXED);"
	print "\treturn __builtin_expect(!!id, 1) ? id : wrap_define(f);\n}"
	print "static inline __attribute__((always_inline)) int wrap_entered(struct wrap_function *f, void **frame, int bound)\n{"
	if (outermost) {
		print "\tif (__builtin_expect(wrap_outer.frame != NULL, 0))\n\t\twrap_inside();"
		print "\twrap_outer.frame = frame;\n\twrap_outer.back = frame[1];\n\twrap_outer.f = bound ? NULL : f;"
	} else
		print "\t(void)f, (void)frame, (void)bound;"
	print "\treturn 1;\n}"
	print "static inline __attribute__((always_inline)) int wrap_begin_at(struct wrap_function *f, void **frame, int bound)\n{"
	print "\tuint32_t id = wrap_region(f, frame, bound);\n"
	print "\treturn id && tau_call(id) && wrap_entered(f, frame, bound);\n}"
	print "#define wrap_begin(f) wrap_begin_at(f, __builtin_frame_address(0), 0)"
	print "static inline __attribute__((always_inline)) void wrap_left(int saved_errno)\n{"
	if (outermost) {
		print "\tif (__builtin_expect(wrap_outer.around, 0))\n\t\twrap_outside(__builtin_frame_address(0));"
		print "\telse\n\t\twrap_outer.frame = NULL;"
	}
	if (finally)
		print "\t" finally ";"
	print "\terrno = saved_errno;\n}"
	print "static inline __attribute__((always_inline)) void wrap_end(struct wrap_function *f, int saved_errno)\n{"
	print "\ttau_leave(__atomic_load_n(&f->id, __ATOMIC_RELAXED));"
	print "\twrap_left(saved_errno);\n}"
	for (i = 0; i < rows; i++)
		printf "static inline %s real_%s(%s)\n{\n\t%s((%s (*)(%s))wrap_real(&wrap_table[WRAP_%s]))(%s);\n}\n",
			row_ret[i], row_name[i], plain(row_args[i]), row_ret[i] == "void" ? "" : "return ", row_ret[i],
			row_args[i], row_name[i], row_names[i]
}

# The caller of real_ never hands on a variable argument list.
function plain(args) { sub(/,[ \t]*\.\.\./, "", args); return args }

# The body that an entry and its second name share. `test` comes first.
function entry(i, name, test,    class, says, call, after_, begin, where, is_void) {
	is_void = row_ret[i] == "void"
	class = says = row_class[i]
	sub(/\(.*/, "", class)
	if (!sub(/^[^(]*\(/, "", says))
		says = ""
	sub(/\)$/, "", says)
	says = says == "" ? "" : ", " says
	call = sprintf("real_%s(%s)", row_name[i], row_names[i])
	if (symbol_of(name) != name)
		call = sprintf("((%s (*)(%s))wrap_below(wrap_f))(%s)", row_ret[i], row_args[i], row_names[i])
	where = sprintf("wrap_f, __builtin_frame_address(0), %d", test != "")
	begin = sprintf("wrap_begin_at(%s)", where)
	if (("enters", class) in joined)
		begin = sprintf("(wrap_id = wrap_region(%s)) ||\n\t    !%s_enter(&wrap_call, wrap_id%s) ||\n\t    !wrap_entered(%s)",
			where, class, says, where)
	# In parentheses a name is not that of a macro, such as the generic functions of OpenSHMEM.
	printf "WRAP_EXPORT %s (%s)(%s)\n{\n", row_ret[i], name, row_args[i]
	printf "\tstruct wrap_function *wrap_f = &wrap_table[WRAP_%s];\n", row_name[i]
	if (class != "")
		printf "\tstruct %s_call wrap_call;\n", class
	if (("enters", class) in joined)
		print "\tuint32_t wrap_id;"
	if (!is_void)
		printf "\t%s ret;\n", row_ret[i]
	print "\tint wrap_errno;\n"
	if (row_always[i] != "")
		printf "\t%s%s;\n", usable == "" ? "" : "if (" usable ")\n\t\t", row_always[i]
	printf "\tif (%s!%s)%s\n", test, begin, is_void || row_made[i] != "" ? " {" : ""
	if (row_made[i] != "")
		printf "\t\tret = %s;\n\t\twrap_errno = errno;\n\t\t%s%s;\n\t\terrno = wrap_errno;\n\t\treturn ret;\n\t}\n",
			call, usable == "" ? "" : "if (" usable ")\n\t\t\t", row_made[i]
	else if (is_void)
		printf "\t\t%s;\n\t\treturn;\n\t}\n", call
	else
		printf "\t\treturn %s;\n", call
	if (class != "" && !(("enters", class) in joined))
		printf "\t%s_before(&wrap_call%s);\n", class, says
	printf "\t%s%s;\n\twrap_errno = errno;\n", is_void ? "" : "ret = ", call
	if (row_made[i] != "")
		printf "\t%s;\n", row_made[i]
	after_ = row_after[i] != "" ? row_after[i] : (is_void || after == "" ? 1 : after)
	if (("leaves", class) in joined)
		printf "\t%s_leave(&wrap_call, wrap_f->id, %s);\n\twrap_left(wrap_errno);\n", class, after_
	else if (class != "")
		printf "\t%s_after(&wrap_call, %s);\n", class, after_
	if (!(("leaves", class) in joined))
		print "\twrap_end(wrap_f, wrap_errno);"
	printf "%s}\n", is_void ? "" : "\treturn ret;\n"
}

# One Fortran entry: `low` followed by `tail`; the further spellings are those of the plain one only.
function fortran_entry(i, prefix, tail,    low, n, args, names, j, alias, aliases) {
	low = tolower(fortran_name[i])
	n = fortran_args[i]
	for (j = 1; j <= n; j++) {
		args = args (j > 1 ? ", " : "") "void *a" j
		names = names (j > 1 ? ", " : "") "a" j
	}
	printf "WRAP_EXPORT void %s%s(%s)\n{\n", low, tail, args
	printf "\tstruct wrap_function *wrap_f = &wrap_table[%s%s];\n", prefix, fortran_name[i]
	printf "\tint on = wrap_begin(wrap_f), wrap_errno;\n\n"
	printf "\t((void (*)(%s))wrap_below(wrap_f))(%s);\n\twrap_errno = errno;\n", args, names
	print "\tif (on)\n\t\twrap_end(wrap_f, wrap_errno);\n}"
	if (tail != "_")
		return
	aliases = split(low " " low "__ " toupper(low) " o" low "_f", alias, " ")
	for (j = 1; j <= aliases; j++)
		printf "WRAP_EXPORT void %s(%s) __attribute__((alias(\"%s_\")));\n", alias[j], args, low
}

function fortran_row(i, tail,    name, real) {
	name = tolower(fortran_name[i]) tail
	real = "p" name
	if (tail == "_f08_" && f08_from != "")
		sub("^p" f08_from, "p" f08_to, real)
	printf "\t{ \"%s()\", \"%s\", \"%s\", NULL, NULL, 0 },\n", fortran_name[i], real, name
}

function entries(    i) {
	print "#else"
	print "#define WRAP_EXPORT __attribute__((visibility(\"default\")))"
	if (outermost)
		outermost_functions()
	print "struct wrap_function wrap_table[WRAP_FUNCTIONS] = {"
	for (i = 0; i < rows; i++)
		printf "\t{ \"%s()\", \"%s\", \"%s\", NULL, NULL, 0 },\n", row_name[i], symbol_of(row_name[i]), row_name[i]
	for (i = 0; i < fortrans; i++) {
		fortran_row(i, "_")
		fortran_row(i, "_f08_")
	}
	print "};"
	for (i = 0; i < rows; i++) {
		if (row_own[i])
			continue
		entry(i, row_name[i], "")
		if (binding != "" && symbol_of(row_name[i]) != row_name[i])
			entry(i, symbol_of(row_name[i]), "!(" binding ") || ")
	}
	for (i = 0; i < rows && layers != ""; i++)
		if (row_ret[i] == "int" && row_name[i] !~ /^MPI_T_/ && !(row_name[i] in is_fortran) && !(row_name[i] in is_rest)) {
			printf "%s(%s, %s_)\n", layers, row_name[i], tolower(row_name[i])
			printf "%s(%s, %s_f08_)\n", layers, row_name[i], tolower(row_name[i])
			if (f08_from != "")
				printf "%s(%s, %s_f08ts_)\n", layers, row_name[i], tolower(row_name[i])
		}
	for (i = 0; i < fortrans; i++) {
		fortran_entry(i, "WRAP_F_", "_")
		fortran_entry(i, "WRAP_F08_", "_f08_")
	}
	print "#endif"
}

# The types of one list of arguments with the names of another; "" where they are not as many.
function renamed(types_of, names,    n, i, part, name, out) {
	n = split(types_of, part, ",")
	if (split(names, name, ",") != n)
		return ""
	for (i = 1; i <= n; i++) {
		if (!match(part[i], /[A-Za-z_][A-Za-z_0-9]*( *\[[^]]*\])* *$/))
			return ""
		out = out (i > 1 ? ", " : "") trim(substr(part[i], 1, RSTART - 1)) " " \
			trim(name[i]) (substr(part[i], RSTART) ~ /\[/ ? "[]" : "")
	}
	return out
}

function add_rest(    line, name, base, args) {
	only = ""
	while ((getline line < prototypes) > 0) {
		match(line, /[A-Za-z_0-9]* ?\(/)
		name = trim(substr(line, RSTART, RLENGTH - 1))
		if (name in row_of || name in skipped)
			continue
		base = name ~ /_c$/ ? substr(name, 1, length(name) - 2) : ""
		args = base in row_of ? renamed(substr(line, index(line, "(") + 1, length(line) - index(line, "(") - 1),
			row_names[row_of[base]]) : ""
		if (args != "")
			line = sprintf("int %s(%s)", name, args)
		add(line, 0)
		is_rest[name] = 1
		if (args == "")
			continue
		base = row_of[base]
		row_class[rows - 1] = row_class[base]
		row_after[rows - 1] = row_after[base]
		row_always[rows - 1] = row_always[base]
		row_made[rows - 1] = row_made[base]
	}
}

END {
	if (failed)
		exit 1
	if (rest && prototypes != "")
		add_rest()
	if (held != "")
		fail("the last line goes on")
	printf "/* Made by gen.awk from %s. */\n", FILENAME
	declarations()
	entries()
}
