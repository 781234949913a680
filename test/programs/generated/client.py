"""Uses both APIs through a client that openapi-python-client makes from the OpenAPI document."""

import hashlib
import json
import sys
import time

from sealbook_client import Client
from sealbook_client.api.proofs import find_proof, submit_proof, verify_hash, verify_posted_hash
from sealbook_client.api.records import call
from sealbook_client.api.recovery import verify_restored
from sealbook_client.models import (
    AuthCall,
    ConfirmedProof,
    DecodeCall,
    Document,
    FoundConfirmedProof,
    HashBody,
    RestoredDocument,
    RestoredDocuments,
    SearchCall,
    StoreCall,
    ValidHash,
    Verifications,
)

url, login, password, input_data = sys.argv[1:]
client = Client(base_url=url, raise_on_unexpected_status=True)


def send(schema, credentials, route, **payload):
    fields = {"credentials": credentials, "method": "GET", "route": route, **payload}
    return call.sync(client=client, body=schema.from_dict(fields)).content


opened = send(AuthCall, {"login": login, "password": password}, "/api/admin/auth")
token = {"token": opened.tparams.tx}
topic = f"generated {time.time_ns()}"
record = {"code": "c", "topic": topic, "payload": {"pm25": 12, "nested": [{"a": None}]}}
stored = send(StoreCall, token, "/api/datastore/event/store", payload=record)
search = {"search": {"target": "2", "value": topic}}
found = send(SearchCall, token, "/api/datastore/event/search", payload=search)
row = {"function": "set", "inputdata": input_data}
decoded = send(DecodeCall, token, "/api/datastore/transaction/decode", payload=row)

digest = hashlib.sha256(topic.encode()).hexdigest()
metadata = {"source": "test", "more": 1}
body = Document.from_dict({"document_id": topic, "hash": digest, "metadata": metadata})
proved = submit_proof.sync(client=client, body=body)
proof = find_proof.sync(topic, client=client)
verified = verify_hash.sync(client=client, hash_=digest)
listed = verify_posted_hash.sync(client=client, body=HashBody(hashes=[digest]))
restored = RestoredDocuments(documents=[RestoredDocument(document_id=topic, hash_=digest)])
compared = verify_restored.sync(client=client, body=restored)

assert isinstance(proved, ConfirmedProof) and isinstance(proof, FoundConfirmedProof) and isinstance(verified, ValidHash)
assert isinstance(listed, Verifications)
print(
    json.dumps(
        {
            "stored": stored.result,
            "events": [event[0] for event in found.tparams.events],
            "payload": len(decoded.tparams.transaction.rowdata.payload.to_dict()) > 0,
            "status": proved.status,
            "found": proof.proof.hash_,
            "block": verified.proof.block_number > 0,
            "listed": [result.valid for result in listed.results],
            "result": [document.result for document in compared.documents],
        }
    )
)
