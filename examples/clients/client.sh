#!/usr/bin/env bash
# A client with curl: client.sh http://127.0.0.1:8477 TOKEN study 10
# It plays a test bench: it asks which two settings to try, tries both, answers which was better, and prints the result.
set -euo pipefail
address=$1 token=$2 study=$3 count=$4

# call PATH [JSON]: GET, or POST if there is JSON to send; curl reads the token from a file, so that it is not in the command line
call() {
    curl --silent --show-error --fail --config <(printf 'header = "Authorization: Bearer %s"\n' "$token") \
        ${2:+--header "Content-Type: application/json" --data "$2"} "$address/api/v1/studies/$study/$1"
}

# value SIDE NAME: the value of a variable of candidate a or b
value() { sed -E "s/.*\"$1\":\{[^}]*\"$2\":([-+.0-9eE]+).*/\1/" <<<"$question"; }

# cost SIDE: what the bench measures; replace this by your machine
cost() { awk -v x="$(value "$1" x)" -v y="$(value "$1" y)" 'BEGIN { print (x - 0.3) ^ 2 + (y - 0.3) ^ 2 }'; }

for ((k = 0; k < count; k++)); do
    question=$(call question)
    [[ $question == *'"question":null'* ]] && break # every candidate has been compared
    step=$(sed -E 's/.*"step":([0-9]+).*/\1/' <<<"$question")
    better=$(awk -v a="$(cost a)" -v b="$(cost b)" 'BEGIN { print a < b ? "a" : "b" }')
    call answers "{\"step\":$step,\"answer\":\"$better\",\"answer_id\":\"$$-$RANDOM-$step\"}" >/dev/null
    echo "question $step: $better"
done
call result | sed -E 's/.*"best":(\{[^}]*\}|null).*/\1/'
