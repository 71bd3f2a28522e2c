#!/bin/sh
# apart.sh FOLDER PROGRAM...: runs a program under a launcher of MPI with its standard output in FOLDER/rank.N/stdout. Launchers have
# options for that, each another, and that of PRRTE loses what a rank writes if it has written to standard error before.
at=$1/rank.${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:?this is no rank of a launcher}}}
shift
mkdir -p "$at" && exec "$@" >"$at/stdout"
