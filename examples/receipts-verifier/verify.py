#!/usr/bin/env python3
"""Verifies receipts of Countersign by what docs/reference/receipts.md says, and by nothing else of it.

    pip install PyJWT cryptography
    python3 verify.py --keys keys.public.json [--audit] FILE...

A line of a FILE is a compact JWS, a verdict record, or either in {"topic": ..., "value": ...}. One JSON object for each problem,
then a summary. Exit code 0: all of it holds; 4: it does not.
"""

import argparse
import base64
import hashlib
import json
import math
import re
import sys
from datetime import datetime

import jwt

EVER = (datetime.min, datetime.max)


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_b64url(text: str) -> bytes:
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if b64url(data) != text:  # one spelling only: unused bits must be zero
        raise ValueError("not base64url in its one spelling")
    return data


def sha256(text: str) -> str:
    return b64url(hashlib.sha256(text.encode()).digest())


def number(value) -> str:
    """As ECMAScript prints it (RFC 8785, section 3.2.2.3); integers with all their digits."""
    if isinstance(value, int):
        return str(value)
    if value == 0 or value == int(value) and abs(value) < 1e21:
        return str(int(value))
    sign, digits, exponent = re.fullmatch(r"(-?)([\d.]+)(?:e([+-]\d+))?", repr(value)).groups()
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    shift = int(exponent or 0)
    point = len(whole) + shift  # where the point stands in the digits
    figures = (whole + part).lstrip("0")
    point -= len(whole + part) - len(figures)
    figures = figures.rstrip("0")
    if 0 < point <= 21:
        return sign + (figures[:point].ljust(point, "0") + ("." + figures[point:] if len(figures) > point else ""))
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + figures
    mantissa = figures[0] + ("." + figures[1:] if len(figures) > 1 else "")
    return f"{sign}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(value) -> str:
    """RFC 8785."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("no JSON number")
    return number(value)


def statement_of(record: dict) -> str:
    """What a verdict record's receipt seals."""
    verdict = {name: field for name, field in record.items() if name != "receipt"}
    return canonical({"form": 1, "previous": record["receipt"]["previous"], "verdict": verdict})


def instant(text: str) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.replace(tzinfo=None) - moment.utcoffset()


def is_verdict(value: dict) -> bool:
    """No other record has these: by its kind alone a changed record could be hidden."""
    return value.get("kind") == "verdict" or "verdict_id" in value or isinstance(value.get("receipt"), dict)


class Problem(Exception):
    def __init__(self, code: str, detail: str):
        super().__init__(detail)
        self.code = code


class Verifier:
    def __init__(self, keys: list):
        self.keys = {key["kid"]: key for key in keys}
        self.problems, self.receipts = [], []

    def line(self, at: str, text: str) -> None:
        try:
            value = json.loads(text) if text.startswith("{") else text
            if isinstance(value, dict) and "kind" not in value and "value" in value and not is_verdict(value):
                value = value["value"]
            if isinstance(value, dict) and not is_verdict(value):
                return
            if isinstance(value, dict) and value.get("kind") != "verdict" and value["receipt"] is not None:
                raise Problem("RECEIPT_ALTERED", "kind: should be verdict")
            if isinstance(value, dict) and value["receipt"] is None:
                if value["verdict"] != "PENDING":
                    raise Problem("RECEIPT_MISSING", "a terminal verdict without a receipt")
                return
            record = value if isinstance(value, dict) else None
            self.receipts.append((at, self.check(self.attached(record) if record else value, record)))
        except Problem as problem:
            self.report(problem.code, at, str(problem))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self.report("RECEIPT_MALFORMED", at, f"{type(error).__name__}: {error}")

    def report(self, code: str, at: str, detail: str) -> None:
        self.problems.append({"code": code, "at": at, "detail": detail})

    def attached(self, record: dict) -> str:
        """Puts the payload, which is what the record says, into the detached JWS."""
        header, payload, signature = record["receipt"]["jws"].split(".")
        if payload != "":
            raise ValueError("receipt.jws has a payload")
        return f"{header}.{b64url(statement_of(record).encode())}.{signature}"

    def check(self, jws: str, record) -> dict:
        header_part, payload_part, signature_part = jws.split(".")
        header_text, payload_text = from_b64url(header_part).decode(), from_b64url(payload_part).decode()
        header, payload = json.loads(header_text), json.loads(payload_text)
        if canonical(header) != header_text or canonical(payload) != payload_text:
            raise ValueError("not canonical")
        if header["alg"] != "EdDSA" or header["typ"] != "countersign-receipt" or payload["form"] != 1:
            raise ValueError("not a receipt of form 1")
        key = self.keys.get(header["kid"])
        if key is None:
            raise Problem("RECEIPT_KEY_UNKNOWN", f"no key {header['kid']}")
        said = (record or {}).get("receipt")
        try:
            from_b64url(signature_part)
            jwt.PyJWS().decode_complete(jws, jwt.PyJWK.from_dict({**key, "alg": "EdDSA"}).key, algorithms=["EdDSA"])
        except (ValueError, jwt.InvalidTokenError):
            is_altered = said is not None and said["hash"] != sha256(payload_text)
            raise Problem("RECEIPT_ALTERED" if is_altered else "RECEIPT_SIGNATURE_INVALID", "not what was signed")
        links = {"chain": header["chain"], "form": 1, "hash": sha256(payload_text), "previous": payload["previous"]}
        if said is not None and {**said, "jws": None} != {**links, "jws": None}:
            raise Problem("RECEIPT_ALTERED", "the links beside the receipt are not those that are signed")
        decided = instant(payload["verdict"]["decided_at"])
        begins, ends = (instant(key[name]) if name in key else ever for name, ever in zip(("not_before", "not_after"), EVER))
        if not begins <= decided < ends:
            raise Problem("RECEIPT_KEY_NOT_VALID", f"decided at {decided}, key in force from {begins} to {ends}")
        if "revoked_from" in key and decided >= instant(key["revoked_from"]):
            raise Problem("RECEIPT_KEY_REVOKED", f"decided at {decided}, key revoked from {key['revoked_from']}")
        return {**links, "verdict": payload["verdict"], "chain_hash": sha256(f"{header_part}.{payload_part}")}

    def operations(self) -> None:
        """Each operation's receipts name the one before."""
        found = {}
        for at, receipt in self.receipts:
            verdict = receipt["verdict"]
            operation = found.setdefault((verdict["payment_key"], verdict["operation_id"]), {})
            operation.setdefault(verdict["revision"], {})[receipt["hash"]] = (at, receipt)
        for revisions in found.values():
            for revision, receipts in sorted(revisions.items()):
                for at, receipt in receipts.values():
                    self.link(at, revision, receipt["previous"], revisions)
                if len(receipts) > 1:
                    self.report("RECEIPT_CHAIN_BROKEN", at, f"two receipts of revision {revision}")

    def link(self, at: str, revision: int, previous, revisions: dict) -> None:
        if previous is None:
            if revision != min(revisions):
                self.report("RECEIPT_CHAIN_BROKEN", at, "not the first, and names none before it")
        elif previous["revision"] not in revisions:
            self.report("RECEIPT_REVISION_MISSING", at, f"revision {previous['revision']} is not here")
        elif previous["revision"] >= revision or previous["hash"] not in revisions[previous["revision"]]:
            self.report("RECEIPT_CHAIN_BROKEN", at, f"another revision {previous['revision']} than the one it names")

    def chains(self) -> None:
        """Each shard's receipts, in the order of the log, count up from 1 and name the one before."""
        heads = {}
        for at, receipt in self.receipts:
            chain = receipt["chain"]
            sequence, before = heads.get((chain["log"], chain["shard"]), (0, None))
            if chain["sequence"] != sequence + 1 or chain["previous"] != before:
                self.report("CHAIN_BROKEN", at, f"sequence {chain['sequence']} does not follow {sequence}")
            heads[(chain["log"], chain["shard"])] = (chain["sequence"], receipt["chain_hash"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", required=True, help="the public key set (JWKS)")
    parser.add_argument("--audit", action="store_true", help="the files are receipts logs: check the chain of each shard")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    with open(options.keys, encoding="utf-8") as file:
        verifier = Verifier(json.load(file)["keys"])
    for name in options.files:
        with open(name, encoding="utf-8") as file:
            for index, line in enumerate(file, 1):
                if line.strip():
                    verifier.line(f"{name}:{index}", line.strip())
    verifier.operations()
    if options.audit:
        verifier.chains()
    for problem in verifier.problems:
        print(json.dumps(problem))
    print(json.dumps({"ok": not verifier.problems, "receipts": len(verifier.receipts)}))
    return 4 if verifier.problems else 0


if __name__ == "__main__":
    sys.exit(main())
