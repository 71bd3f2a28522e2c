# extrap.sh: experiments of Extra-P are several runs of scaling: their models, what is refused, and those that others made.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# models FILE [OPTION...]: each region with the constant, the factor and the exponents of its model, as far as they were searched for.
models() {
	tau-report scaling -f json "$@" 2>err | python3 -c '
import json, sys
for r in json.load(sys.stdin)["rows"]:
    if not r["region"].startswith("("):
        print(r["region"], *("%.6g" % v if v is not None else "-" for v in (r["c0"], r["c1"], r["exponent"], r["log2_exponent"])))' | sort
}
cat >known.txt <<'END'
# a comment
PARAMETER p
POINTS (2) (4) ( 8 )
POINTS 16 32

METRIC bytes
REGION main->sum
DATA 7 9
DATA 7 9
DATA 8
DATA 8 8 8
DATA 7.5 8.5
REGION square
DATA 14 14
DATA 26 26
DATA 74 74
DATA 266 266
DATA 1034 1034

METRIC time
REGION main->sum
DATA 0.001
DATA 0.002
DATA 0.004
DATA 0.008
DATA 0.016
END
is "models of a metric: a constant, and 10 + p^2" "$(models known.txt --metric bytes)" "main->sum 8 0 0 0
square 10 1 2 0"
is "a metric that is a time is in seconds" "$(tau-report scaling -f csv --metric time known.txt | tr -d '\r' |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ms_32") k = i } /main->sum/ { print $k }')" 16
like "how many measurements there are" "$(tau-report scaling --metric bytes known.txt)" '^known.txt: experiment of Extra-P; values are means of 1 to 3 measurements$'
like "--explain names the points" "$(tau-report scaling --explain --metric bytes known.txt)" '^  known.txt: 32 PEs: 32 PEs'
gzip -k known.txt
is "in gzip, too" "$(models known.txt.gz --metric bytes)" "$(models known.txt --metric bytes)"
like "shares of regions over the points" "$(tau-report breakdown --metric bytes known.txt)" 'square'

# refused WHAT MESSAGE: a file with these lines is refused.
refused() {
	what=$1
	message=$2
	cat >bad.txt
	like "$what" "$(tau-report scaling bad.txt 2>&1; echo "status $?")" "$message"
}
refused "two parameters" '^tau-report: bad.txt: line 2: a second PARAMETER' <<'END'
PARAMETER p
PARAMETER q
END
refused "points with two values" 'line 2: a point has several parameters' <<'END'
PARAMETER p
POINTS ( 2 3 )
END
refused "points that are no numbers of PEs" 'line 2: POINTS: a point is not a whole number' <<'END'
PARAMETER p
POINTS 0.5 2
END
refused "a point twice" 'line 2: POINTS: a point is there twice' <<'END'
PARAMETER p
POINTS 2 2
END
refused "too few lines of DATA" 'line 5: fewer lines of DATA than points' <<'END'
PARAMETER p
POINTS 2 4
REGION a
DATA 1
REGION b
END
refused "too many lines of DATA" 'line 4: more lines of DATA than points' <<'END'
PARAMETER p
POINTS 2
DATA 1
DATA 2
END
refused "DATA that are no numbers" 'line 3: DATA: expected numbers' <<'END'
PARAMETER p
POINTS 2 4
DATA x
END
refused "an unknown word" 'line 3: expected PARAMETER, POINTS' <<'END'
PARAMETER p
POINTS 2 4
TRACE 3
END
refused "no DATA" 'there are no DATA' <<'END'
PARAMETER p
POINTS 2 4
END
like "a kind about one run" "$(tau-report profile known.txt 2>&1)" 'profile needs one run, 5 were given'
like "a window" "$(tau-report scaling -w 50%: known.txt 2>&1)" 'an experiment of Extra-P has no windows'

if [ -d "$DATA/extrap" ]; then
	for f in one_parameter_6.txt experiments_SP/experiment2.txt; do
		is "$f: one constant of 4.068, three squares" "$(models "$DATA/extrap/$f" | awk '
			$1 == "met1" { print $1, $2, $4 } $1 != "met1" { print $1, $4, $5 }')" "met1 4.068 0
met2 2 0
met3 2 0
met4 2 0"
	done
	for f in 1 2 3 4 5; do
		like "one_parameter_$f.txt: 60 PEs are three times 20, which shows no curve" \
			"$(tau-report scaling "$DATA/extrap/one_parameter_$f.txt")" '72[0-9.]+ .*no model: 5 points, 20 to 60 span less than a factor of 4'
	done
	like "four parameters are refused" "$(tau-report scaling "$DATA/extrap/experiments_SP/experiment3_neg.txt" 2>&1)" 'line 2: a second PARAMETER'
else
	skip "experiments of others" "$DATA/extrap is absent"
fi
tap_end
