"""What the OpenAPI document cannot express, for Schemathesis.

The environment has the login of an account: SEALBOOK_LOGIN, SEALBOOK_PASSWORD, SEALBOOK_TOKEN (a session's token), and
SEALBOOK_CALL_DATA (the call data of a transaction that stored a record).
"""

import json
import os
import time
import uuid

import schemathesis
from schemathesis import GenerationMode

HASH = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    """A text as it is, anything else as one line of JSON."""
    return value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()


@schemathesis.deserializer("application/x-ndjson")
def lines(ctx, response):
    """The response itself: its schema is that of a text."""
    return response.text


@schemathesis.deserializer("application/jose")
def jose(ctx, response):
    return response.text


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if case.meta is None or case.meta.generation.mode == GenerationMode.POSITIVE:
        case.query = compatible(case.operation.path, dict(case.query or {}))
        if case.media_type == "application/x-ndjson" and isinstance(case.body, str):
            # To the schema, lines are any text.
            case.body = "".join(json.dumps({"document_id": name, "hash": HASH}) + "\n" for name in "ab")
        if case.operation.path == "/api/v1/verify" and isinstance(case.body, dict):
            # One of three, two of which are names of the same field.
            [name, *others] = [name for name in ("hashes", "document_hash", "hash") if name in case.body] or ["hash"]
            case.body.setdefault(name, HASH)
            for other in others:
                del case.body[other]
        case.body = storable(in_the_past(case.body))
        if "Idempotency-Key" in (case.headers or {}):
            # Another call has another key.
            case.headers["Idempotency-Key"] = str(uuid.uuid4())
        if case.operation.path == "/api" and isinstance(case.body, dict):
            log_in(case.body)


def in_the_past(value):
    """Replaces times that are ahead of the clock, which no schema can tell."""
    if isinstance(value, list):
        return [in_the_past(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: 1 if name in ("timestamp", "as_of") and is_ahead(item) else in_the_past(item) for name, item in value.items()
    }


def storable(value):
    """Replaces numbers that a double does not keep, and the one key that no object may have: any JSON else is stored."""
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {name: storable(item) for name, item in value.items() if name != "__proto__"}
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return 1 if is_number and abs(value) >= 2**53 else value


def is_ahead(moment):
    if isinstance(moment, str):
        if "-" in moment:
            return moment[:4] > str(time.gmtime().tm_year - 1)
        moment = int(moment) if moment.isdigit() else 0
    return isinstance(moment, (int, float)) and moment > time.time()


def compatible(path, query):
    """Removes parameters that exclude another one; adds one of which one is required."""
    if path == "/api/v1/verify":
        query = {"document_hash": query.get("document_hash") or query.get("hash") or HASH}
    if path == "/api/v1/recovery/gap" and query.get("against") == "journal":
        query.pop("verification_id", None)
    if path == "/api/v1/recovery/gap":
        # Each of the two lists has cursors of its own.
        query.pop("cursor", None)
    for name in ("as_of", "date", "from", "to"):
        if is_ahead(query.get(name)):
            query[name] = "2026-01-01"
    if "to" in query:
        # It is not before the other one.
        query.pop("from", None)
    if path == "/api/v1/recovery/verify":
        # The body can have another time.
        query.pop("as_of", None)
    return query


def log_in(call):
    """Gives a call of the record store a valid login, or the token of a session, and valid call data."""
    credentials, payload = call.get("credentials"), call.get("payload")
    if not isinstance(credentials, dict):
        return
    if "login" in credentials:
        credentials.update({"login": os.environ["SEALBOOK_LOGIN"], "password": os.environ["SEALBOOK_PASSWORD"]})
    elif str(call.get("route")).startswith("/api/datastore/"):
        credentials["token"] = os.environ["SEALBOOK_TOKEN"]
    if call.get("route") == "/api/datastore/transaction/decode" and isinstance(payload, dict):
        payload.update({"function": "set", "inputdata": os.environ["SEALBOOK_CALL_DATA"]})
