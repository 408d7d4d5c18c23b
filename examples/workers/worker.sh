#!/usr/bin/env bash
# A worker in bash, with curl and jq: bash worker.sh. The tasks are those of conformance.py.
set -u
api=$DUETIME_URL/api/v1/workers slots=8
runs=$(mktemp -d) # a file for each run, with its checkpoint; RUN.stop asks the run to stop

call() { # call METHOD PATH [BODY]: prints the data of the answer. The same call again is harmless, so 5xx are repeated
  local answer code pause=0.1
  while :; do
    answer=$(curl -s -m 60 -w '\n%{http_code}' -X "$1" "$api$2" -H 'Content-Type: application/json' \
      -K <(printf 'header = "Authorization: Bearer %s"\n' "$DUETIME_TOKEN") ${3:+--data-binary @-} <<<"${3:-}")
    code=${answer##*$'\n'}
    case $code in
      2*) jq -c .data <<<"${answer%$'\n'*}" && return ;;
      4*) echo "$1 $2: ${answer%$'\n'*}" >&2 && return 1 ;;
    esac
    sleep $pause && pause=2
  done
}

beat() { # lists every run, and notes which are to stop
  local body run
  body=$(for run in "$runs"/*.run; do
    [ -e "$run" ] && jq -c --arg run "$(basename "$run" .run)" '{run: $run} + if . then {checkpoint: .} else {} end' "$run"
  done | jq -cs '{runs: .}')
  call POST "/$worker/beat" "$body" | jq -r '.cancel[], .stale[]' | while read -r run; do touch "$runs/$run.stop"; done
}

work() { # work RUN: carries out one run, given as JSON, and settles it
  local run outcome
  run=$(jq -r .run <<<"$1")
  case $(jq -r .task <<<"$1") in
    echo) outcome='{status: "succeeded", result: .message}' ;;
    fail) outcome='{status: "failed", retryable: false, error: {kind: "asked", message: "as asked"}}' ;;
    flaky) outcome='if .attempt == 1 then {status: "failed", retry_in_ms: 0} else {status: "succeeded", result: .attempt} end' ;;
    later)
      outcome='if .checkpoint then {status: "succeeded", result: .checkpoint} else {status: "snoozed", retry_in_ms: 100} end'
      jq -e .checkpoint <<<"$1" >"$runs/$run.run" || { echo 1 >"$runs/$run.run" && beat; }
      ;;
    wait) outcome='{status: "failed"}' && until [ -e "$runs/$run.stop" ]; do sleep 0.1; done ;;
    *) outcome='{status: "failed", retryable: false, error: {message: "no task \(.task)"}}' ;;
  esac
  call POST "/$worker/settle" "$(jq -c "{outcomes: [{run} + ($outcome)]}" <<<"$1")" >/dev/null
  rm -f "$runs/$run.run" "$runs/$run.stop"
}

registered=$(call POST "" "$(jq -nc --arg q "$DUETIME_QUEUE" '{name: "bash", queues: [$q], slots: 8, sdk: "bash"}')") || exit 1
worker=$(jq -r .worker <<<"$registered") every=$(jq '.beat_ms / 1000' <<<"$registered")
leave() { trap - EXIT TERM INT; call DELETE "/$worker" >/dev/null; kill $(jobs -p) 2>/dev/null; rm -rf "$runs"; exit 0; }
trap leave EXIT TERM INT
while sleep "$every"; do beat || kill $$; done &
for ((take = 1; ; take++)); do
  held=("$runs"/*.run) && [ -e "${held[0]}" ] || held=()
  free=$((slots - ${#held[@]})) && [ $free -gt 0 ] || { sleep 0.05 && continue; }
  call POST "/$worker/take" "{\"take_id\": \"$take\", \"max\": $free, \"wait_ms\": 20000}" >"$runs/taken" & # a signal ends
  wait $! || exit 1                                                                                          # the wait
  while read -r run; do echo null >"$runs/$(jq -r .run <<<"$run").run" && work "$run" & done < <(jq -c '.runs[]' "$runs/taken")
done
