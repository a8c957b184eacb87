# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lanes.sh -- the test lanes: what each runs, how long it may take, how its results are counted

# name | minutes it may take | paths whose change calls for it | command, run in the repository's root;
# a command that ends with 77 says that this machine can't run it: the lane counts as one result skipped
lanes=(
  'core|45|.|./mvnw -B --fail-at-end verify'
  'spark|40|rdma-core-java pmem-store spark-plugin integration pom.xml|./mvnw -B --fail-at-end -Dfast -Pspark-it verify'
  'jdk25|20|rdma-core-java pmem-store pom.xml|. bin/lib/java.sh && JAVA_HOME=$(newer_java 25) && export JAVA_HOME && ./mvnw -B --fail-at-end -Dfast -pl rdma-core-java,pmem-store verify'
  'crash|30|rdma-core-java/src/main pmem-store/src/main pmem-store/src/test/java/dev/verbena/store/crash|./mvnw -B --fail-at-end -Dfast -Pcrash -pl rdma-core-java,pmem-store test'
  'soak|25|pmem-store/src/main spark-plugin/src/main|./mvnw -B --fail-at-end -Dfast -Psoak-it verify'
)

# lane_names -- prints the names, one a line
lane_names() {
  printf '%s\n' "${lanes[@]%%|*}"
}

# lane_row NAME -- prints the row of a lane, nothing if there is none
lane_row() {
  local row
  for row in "${lanes[@]}"; do
    [ "${row%%|*}" != "$1" ] || printf '%s\n' "$row"
  done
}

# reports -- prints the names of the JUnit XML reports that the modules hold
reports() {
  find "$VERBENA_HOME" -path '*/target/*-reports/TEST-*.xml' -not -path '*/target/*/target/*'
}

# For awk: attribute(NAME) is the value of an attribute of the tag in the variable tag, nothing if it has none.
report_awk='
  function attribute(name) {
    return match(tag, "[ \t]" name "=\"[^\"]*\"") \
      ? substr(tag, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
  }'

# count_report REPORT -- prints "PASSED FAILED SKIPPED" of a report; a suite's own attributes are read
# from its first tag, so that what a test printed is not mistaken for a result
count_report() {
  awk "$report_awk"'
    /<testsuite([ \t>]|$)/ { reading = 1 }
    reading { tag = tag " " $0; if (index($0, ">")) exit }
    END {
      failed = attribute("failures") + attribute("errors")
      skipped = attribute("skipped") + attribute("ignored")
      print attribute("tests") - failed - skipped, failed, skipped
    }' "$1"
}

# sum_reports -- prints "PASSED FAILED SKIPPED" over the reports
sum_reports() {
  reports | while IFS= read -r report; do
    count_report "$report"
  done | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }'
}

# failed_tests -- prints "Class: test" for each result that failed, and the first line of why
failed_tests() {
  reports | while IFS= read -r report; do
    awk "$report_awk"'
      /<testcase[ \t]/ { tag = $0; class = attribute("classname"); test = attribute("name") }
      /^ *<(failure|error)([ \t>]|$)/ {
        tag = $0
        print "failed: " class ": " test ": " substr(attribute("message"), 1, 300)
      }' "$report"
  done
}

# unseen_tests LANE -- prints each test that docs/faults.md has for the lane and that the reports
# don't have, or have as skipped
unseen_tests() {
  local catalogue=$VERBENA_HOME/docs/faults.md
  [ -f "$catalogue" ] || return 0
  reports | while IFS= read -r report; do
    awk "$report_awk"'
      function print_last() { if (test != "") print test; test = "" }
      /^ *<testcase[ \t]/ {
        print_last()
        tag = $0; class = attribute("classname"); test = attribute("name")
        sub(/.*[.]/, "", class); sub(/[^A-Za-z0-9].*/, "", test)
        test = class "." test
      }
      /^ *<skipped([ \t\/>]|$)/ { test = "" }
      END { print_last() }' "$report"
  done | sort -u |
    awk -F '|' -v lane="$1" '
      NR == FNR { seen[$0]; next }
      { gsub(/^ +| +$/, "", $5) }
      $1 == "" && $5 == lane {
        n = split($6, tests, "`")
        for (i = 2; i <= n; i += 2) if (!(tests[i] in seen)) print tests[i] " (" $2 ")"
      }' - "$catalogue" | sed 's/( */(/; s/ *)/)/'
}

# run_lane NAME -- runs a lane and adds to passed, failed and skipped; ends within the lane's minutes
run_lane() {
  local name minutes command log lane_pid tail_pid status=0 p f s unseen started=$SECONDS
  IFS='|' read -r name minutes _ command <<<"$(lane_row "$1")"
  if [ "$minutes" -gt "${minutes_left:-$minutes}" ]; then
    minutes=$minutes_left
  fi
  log=$VERBENA_HOME/target/verify/$name.log
  mkdir -p -- "${log%/*}"
  : >"$log"
  reports | xargs -r -d '\n' rm -f --
  echo "lane $name: $command (at most $minutes min)"
  # Through a file and not a pipe, which a process left behind would keep open.
  (cd -- "$VERBENA_HOME" && exec timeout --kill-after=30 "${minutes}m" bash -c "$command") \
    </dev/null >"$log" 2>&1 &
  lane_pid=$!
  tail -n +1 -f --pid="$lane_pid" -- "$log" &
  tail_pid=$!
  trap 'kill "$lane_pid" 2>/dev/null; exit 130' INT TERM
  wait "$lane_pid" || status=$?
  wait "$tail_pid" || true
  trap - INT TERM
  read -r p f s <<<"$(sum_reports)"
  awk -v name="$name" -v seconds=$((SECONDS - started)) -v n=$((p + f + s)) \
    'BEGIN { printf "lane %s: %.1f min, %d results\n", name, seconds / 60, n }'
  failed_tests
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    echo "lane $name: stopped after $minutes min"
    f=$((f + 1))
  elif [ "$status" -eq 77 ] && [ $((p + f + s)) -eq 0 ]; then
    echo "lane $name: skipped, this machine can't run it"
    s=1
  elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
    echo "lane $name: failed outside its tests, exit code $status; see ${log#"$VERBENA_HOME/"}"
    f=1
  elif [ $((p + f)) -eq 0 ]; then
    echo "lane $name: no test ran"
    f=1
  elif [ "$status" -eq 0 ]; then
    unseen=$(unseen_tests "$name")
    if [ -n "$unseen" ]; then
      sed "s/^/lane $name: a test of docs\/faults.md did not run: /" <<<"$unseen"
      f=$((f + $(wc -l <<<"$unseen")))
    fi
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# verify [--all | --list | LANE...] -- runs lanes, core if none is named, and prints the sum last.
# VERBENA_VERIFY_MINUTES bounds all lanes together.
verify() {
  local name chosen=() started=$SECONDS budget=${VERBENA_VERIFY_MINUTES-} minutes_left=
  passed=0 failed=0 skipped=0
  for name in "$@"; do
    case $name in
      --all)
        mapfile -t chosen < <(lane_names)
        ;;
      --list)
        printf '%s\n' "${lanes[@]}" | awk -F '|' '{ printf "%-8s at most %s min: %s\n", $1, $2, $4 }'
        return
        ;;
      *)
        if [ -z "$(lane_row "$name")" ]; then
          echo "verbena: no lane '$name'; there are $(lane_names | paste -sd ' ')" >&2
          return 2
        fi
        chosen+=("$name")
        ;;
    esac
  done
  for name in "${chosen[@]:-core}"; do
    if [ -n "$budget" ]; then
      minutes_left=$((budget - (SECONDS - started) / 60))
      if [ "$minutes_left" -le 0 ]; then
        echo "lane $name: not run, the $budget min for all lanes are over"
        failed=$((failed + 1))
        continue
      fi
    fi
    run_lane "$name"
  done
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
