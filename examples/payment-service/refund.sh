#!/usr/bin/env bash
# One refund with curl alone: says what is meant, calls PayPal, says what PayPal answered, and follows the advice.
#
#   refund.sh REFUND_ID CAPTURE_ID AMOUNT CURRENCY      e.g. refund.sh r-1 3C679366HH908993R 10.00 USD
#
# COUNTERSIGN_URL, COUNTERSIGN_KEY (a key with operations:write and operations:read), PAYPAL_URL, PAYPAL_TOKEN, ACCOUNT.
# Run it again after a crash, or with the same arguments at any time: ids and keys are the same, so it is the same refund.
#
# Exits 0: verified or nothing to do; 3: wait and ask again; 4: a person decides; 5: it was refused, and PayPal was not called.
set -euo pipefail

: "${COUNTERSIGN_URL:=http://127.0.0.1:8080}" "${COUNTERSIGN_KEY:=}" "${ACCOUNT:=merchant-1}"
: "${PAYPAL_URL:=https://api-m.sandbox.paypal.com}" "${PAYPAL_TOKEN:=}"
: "${VERDICT_SECONDS:=30}"

fail() { echo "$1" >&2; exit "${2:-2}"; }

[ $# -eq 4 ] || fail 'usage: refund.sh REFUND_ID CAPTURE_ID AMOUNT CURRENCY'
id=$1 capture=$2 amount=$3 currency=$4
# They go into JSON and addresses as they are.
[[ $id =~ ^[A-Za-z0-9._-]{1,64}$ ]] || fail "REFUND_ID was '$id', should be 1 to 64 of A-Z a-z 0-9 . _ -"
[[ $capture =~ ^[A-Z0-9]{1,50}$ ]] || fail "CAPTURE_ID was '$capture', should be a PayPal capture id"
[[ $amount =~ ^[0-9]+(\.[0-9]+)?$ ]] || fail "AMOUNT was '$amount', should be a decimal number like 10.00"
[[ $currency =~ ^[A-Z]{3}$ ]] || fail "CURRENCY was '$currency', should be three capitals like USD"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
operation="$COUNTERSIGN_URL/v1/operations/paypal%3A$ACCOUNT%3A$capture%2F$id"

# Prints the status and leaves the body in $work/answer; 000 when there was no answer.
countersign() { # METHOD URL [BODY]
  curl --silent --max-time 15 --output "$work/answer" --write-out '%{http_code}' --request "$1" "$2" \
    ${COUNTERSIGN_KEY:+--header "authorization: Bearer $COUNTERSIGN_KEY"} \
    ${3:+--header 'content-type: application/json' --data-binary "$3"} || true
}

# Until it is kept: a repeat changes nothing. What trying again does not cure ends here.
publish() { # URL BODY
  local status
  while :; do
    status=$(countersign POST "$1" "$2")
    case $status in
      202) return ;;
      000 | 408 | 429 | 5??) sleep 1 ;;
      *) cat "$work/answer" >&2; fail "
Countersign refused it (HTTP $status)" 5 ;;
    esac
  done
}

# A lost answer is no refusal: asks once more under the same key, which PayPal answers with the refund that it made.
call_paypal() { # prints what goes into "action"
  local action
  action=$(call_paypal_once)
  case $action in
    *'"kind":"timeout"'* | *'"kind":"network"'*) call_paypal_once after_lost_answer ;;
    *) printf '%s' "$action" ;;
  esac
}

call_paypal_once() { # [after_lost_answer]
  local status exit_code=0
  status=$(curl --silent --max-time 20 --output "$work/refund" --write-out '%{http_code}' \
    --header "authorization: Bearer $PAYPAL_TOKEN" --header 'content-type: application/json' \
    --header "paypal-request-id: $id" --header 'prefer: return=representation' \
    --data-binary "{\"amount\":{\"value\":\"$amount\",\"currency_code\":\"$currency\"}}" \
    "$PAYPAL_URL/v2/payments/captures/$capture/refund") || exit_code=$?
  case $exit_code:$status in
    0:20?) printf '{"result":%s}' "$(cat "$work/refund")" ;;
    # It decides nothing: too early, too often, or no valid token.
    0:401 | 0:408 | 0:409 | 0:429) printf '{"error":{"kind":"unknown","http_status":%s}}' "$status" ;;
    # Its own no; after a lost answer it says nothing of the try before.
    0:4??) printf '{"error":{"kind":"%s","http_status":%s}}' "$([ $# -eq 0 ] && echo declined || echo unknown)" "$status" ;;
    0:*) printf '{"error":{"kind":"unknown","http_status":%s}}' "$status" ;;
    # The answer is lost. The money may have moved all the same: it is no refusal.
    28:*) printf '{"error":{"kind":"timeout"}}' ;;
    *) printf '{"error":{"kind":"network"}}' ;;
  esac
}

field() { # NAME: of the verdict in $work/answer
  { grep -o "\"$1\":\"[^\"]*\"" "$work/answer" || true; } | head -n 1 | cut -d'"' -f4
}

refund() {
  publish "$COUNTERSIGN_URL/v1/operations" "{\"operation_id\":\"$id\",\"provider\":\"paypal\",\"account\":\"$ACCOUNT\",
    \"contract\":{\"id\":\"paypal.refund.completed\"},\"idempotency_key\":\"$id\",
    \"input\":{\"capture_id\":\"$capture\",\"amount\":\"$amount\",\"currency_code\":\"$currency\"}}"
  publish "$operation/action" "{\"provider\":\"paypal\",\"account\":\"$ACCOUNT\",\"payment_id\":\"$capture\",\"action\":$(call_paypal)}"
}

# The verdict stands first in the answer, so the first of each name is its own.
refund
retried=no
for ((second = 0; ; second += 1)); do
  status=$(countersign GET "$operation")
  verdict=$(field verdict) advice=$(field advice)
  if [ "$status" = 200 ] && [ -n "$advice" ]; then
    case $advice in
      none | do_not_retry) echo "$verdict: $(field reason)"; exit 0 ;;
      ask_person) echo "$verdict: $(field reason). A person decides: countersign review list"; exit 4 ;;
      retry_same_key) if [ $retried = no ]; then retried=yes; refund; fi ;;
      wait) ;;
    esac
  fi
  [ "$second" -lt "$VERDICT_SECONDS" ] || break
  sleep 1
done
echo "${verdict:-not judged yet}: ask again later, and call PayPal only with the same id"
exit 3
