# report.awk: writes profile.N.0.0 of one PE as TAU would, with the memory counters of a made-up run: -v P=PEs -v N=rank;
# -v SITES=1: with call sites, too; -v SHRINK=1: a program whose own data are divided among the PEs;
# -v MANY=1: 30 types more that grow alike.
function state(x, bytes, objects) {
	line[n++] = sprintf("\"live %s\" 1 %d %d %d %.16G", x, bytes, bytes, bytes, bytes * bytes)
	line[n++] = sprintf("\"live objects %s\" 1 %d %d %d %.16G", x, objects, objects, objects, objects * objects)
}
function peak(x, bytes, objects) {
	line[n++] = sprintf("\"peak %s\" 1 %d %d %d %.16G", x, bytes, bytes, bytes, bytes * bytes)
	line[n++] = sprintf("\"peak objects %s\" 1 %d %d %d %.16G", x, objects, objects, objects, objects * objects)
}
function alloc(x, objects, each, what) {
	line[n++] = sprintf("\"%s %s\" %d %d %d %d %.16G", what ? what : "alloc", x, objects, each, each, each, objects * each * each)
}
function type(x, objects, each) {
	state(x, objects * each, objects); peak(x, objects * each, objects); alloc(x, objects, each)
	if (x !~ / <= | @ /) total += objects * each
}
BEGIN {
	type("ompi_proc_t", P, 120)
	type("mca_bml_base_endpoint_t", P, 232)
	type("mca_btl_vader_endpoint_t", P + 3, 352)
	type("mca_btl_tcp_frag_max_t[]", 1, 1048576)
	type("mca_btl_tcp_frag_eager_t[]", 1, 524288)
	type("opal_free_list_item_t[]", 1, P <= 4 ? 16384 : P <= 8 ? 32768 : 65536)
	type("opal_list_t", 10 + (N == 0), 64)
	type("opal_list_t <= ompi_group_t", 4, 64)
	type("opal_hash_table_t", 7, P == 2 ? 100 : P == 4 ? 130 : P == 8 ? 119 : 180)
	type("untyped [libopen-pal.so.40.30.2]", 100 + 4 * P, 1000)
	type("untyped [libopen-pal.so.40.30.2] <= mca_bml_base_endpoint_t", 4 * P, 1000)
	type("untyped [libmpi.so.40.30.4]", 50, 1000)
	type("pmix_kval_t", 30, 80)
	type("untyped [libpmix.so.2.9.2]", 70, 1000)
	type("untyped [libc.so.6]", 9, 1024)
	type("untyped [gups]", 2, SHRINK ? 4194304 / P : 4096)
	for (i = 0; MANY && i < 30; i++) type("many_" i "_t", P, 4000)
	if (SITES) {
		type("ompi_proc_t @ peers [{proc.c} {31}]", P, 120)
		type("opal_list_t @ make [{list.c} {7}]", 4 + (N == 0), 64)
		type("opal_list_t @ make [{list.c} {9}]", 2, 64)
		type("opal_list_t <= ompi_group_t @ make [{list.c} {9}]", 4, 64)
		type("untyped [libopen-pal.so.40.30.2] <= mca_bml_base_endpoint_t @ grow [{bml.c} {5}]", 4 * P, 1000)
	}
	alloc("opal_value_t", 600 * P, 96); alloc("opal_value_t", 100 * P, 96, "retyped"); state("opal_value_t", 0, 0); peak("opal_value_t", 9600, 100)
	line[n++] = sprintf("\"live (all)\" 1 %d %d %d %.16G", total, total, total, total * total)
	line[n++] = sprintf("\"peak (all)\" 1 %d %d %d %.16G", total + 9600, total + 9600, total + 9600, (total + 9600) ^ 2)
	print "1 templated_functions_MULTI_TIME"
	print "# Name Calls Subrs Excl Incl ProfileCalls #"
	print "\".TAU application\" 1 0 1000 1000 0 GROUP=\"TAU_UTILITY\" "
	print "0 aggregates"
	print n " userevents"
	print "# eventname numevents max min mean sumsqr"
	for (i = 0; i < n; i++) print line[i]
}
