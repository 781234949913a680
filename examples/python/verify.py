"""Verifies a portable proof of Sealbook offline. Written from docs/proof-format.md; the numbers are its steps.

    pip install -r requirements.txt
    python verify.py PROOF.bundle.json DOCUMENT [--trust-key ID] [--validators FILE] [--contract ADDRESS]

Exit code: 0 verified, 1 not verified, 3 undetermined, 2 wrong usage. The last line has the outcome and its code.
"""
import argparse
import base64
import contextlib
import datetime
import hashlib
import json
import pathlib
import re
import sys

import rfc8785
import rlp
from coincurve import PublicKey
from Crypto.Hash import keccak
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

def keccak256(data): return keccak.new(digest_bits=256, data=data).digest()
def hexed(text): return bytes.fromhex(text.removeprefix("0x"))
def number(data): return int.from_bytes(data, "big")

UNDETERMINED = {"seals_absent", "nothing_trusted"}

class Failed(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code

def check(condition, message, code=None):
    if not condition:
        raise Failed(message, code)

@contextlib.contextmanager
def step(code):
    """A step of the verification, with the code of its failure unless a check names another one."""
    try:
        yield
    except Failed as failed:
        raise Failed(str(failed), failed.code or code)
    except Exception as error:  # members that are missing or of another type, RLP that is not canonical
        raise Failed(f"unreadable ({error!r})", code)

def nibbles(data): return [nibble for byte in data for nibble in divmod(byte, 16)]

def trie_value(root, key, proof):
    """The value under a key of the Merkle-Patricia trie with this root; `proof` has the nodes on the way down."""
    rest, reference, nodes = nibbles(key), root, [hexed(node) for node in proof]
    while True:
        if isinstance(reference, bytes):
            check(nodes and keccak256(nodes[0]) == reference, "a node of a trie is missing or has another hash")
            node = rlp.decode(nodes.pop(0))
        else:
            node = reference  # a node under 32 bytes is inside its parent
        if len(node) == 17:  # branch
            if not rest:
                reference = node[16]
                break
            reference, rest = node[rest[0]], rest[1:]
        else:  # extension or leaf
            check(len(node) == 2, "a node of a trie has another number of elements")
            flag, *piece = nibbles(node[0])
            check(flag <= 3 and (flag % 2 or piece[0] == 0), "a piece of a key has another prefix")
            piece = piece if flag % 2 else piece[1:]
            check(rest[: len(piece)] == piece, "a trie has another key")
            reference, rest = node[1], rest[len(piece) :]
            if flag >= 2:
                check(not rest, "a trie has another key")
                break
        check(reference, "a trie has no value under the key")
    check(reference and not nodes, "a trie has no value under the key, or its proof has unused nodes")
    return reference

def path_length(index, size):
    """The number of siblings of a leaf: the last node of an odd level has none."""
    length = 0
    while size > 1:
        length += index ^ 1 < size
        index, size = index // 2, (size + 1) // 2
    return length

def extra_data(protocol, items, use):
    """The extra data as they are hashed (`use` is "hash") or signed by validators ("seals")."""
    head, round_number = items[:3], items[3]
    if use == "hash":
        return rlp.encode(head if protocol == "ibft2" else [*head, b"", []])
    return rlp.encode([*head, round_number] if protocol == "ibft2" else [*head, round_number, []])

def text_of(data):
    """The text of a file: UTF-8, whatever the platform's encoding; a byte order mark and white space around it are no part."""
    check(data[:2] not in (b"\xff\xfe", b"\xfe\xff") and 0 not in data[:2], "the file is UTF-16 text: convert it to UTF-8")
    try:
        return data.decode("utf-8").removeprefix("\ufeff").strip(" \t\r\n")
    except UnicodeDecodeError:
        check(False, "the file is not UTF-8 text")

def whole(value): return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
def digits(size): return lambda value: isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{2 * size}}}", value)
def data(size=None):
    length = "+" if size is None else f"{{{size}}}"
    return lambda value: isinstance(value, str) and re.fullmatch(f"0x([0-9a-f]{{2}}){length}", value)
def listed(shape): return lambda value: isinstance(value, list) and all(has_shape(item, shape) for item in value)
def text(value): return isinstance(value, str)
def metadata(value): return isinstance(value, dict) and whole(value.get("timestamp")) and text(value.get("type", ""))

def has_shape(value, shape):
    if isinstance(shape, dict):
        return isinstance(value, dict) and set(value) == set(shape) and all(has_shape(value[name], shape[name]) for name in shape)
    return bool(shape(value))

PROVEN = {"proof": listed(data()), "raw": data()}
MERKLE = {"index": whole, "leaf": data(32), "path": listed(data(32)), "root": data(32), "size": whole}
BUNDLE = {
    "format": text,
    "record": {"document_id": text, "hash": digits(32), "metadata": metadata, "record_hash": digits(32)},
    "merkle": lambda value: value is None or has_shape(value, MERKLE),
    "anchor": {"chain_id": whole, "contract": data(20), "index": whole, "receipt": PROVEN, "transaction": PROVEN},
    "block": {"hash": data(32), "header": data()},
    "consensus": {"protocol": lambda value: value in ("ibft2", "qbft", "none"), "validators": listed(data(20))},
    "signature": {
        "algorithm": lambda value: value == "ES256", "key_id": text, "value": digits(64),
        "public_key": {"kty": lambda value: value == "EC", "crv": lambda value: value == "P-256", "x": text, "y": text},
    },
}

def verify(content, document, trusted_key=None, validators=None, contract=None):
    """Returns the number and the time of the block, or raises Failed."""
    with step("format_invalid"):
        text = text_of(content)
        bundle = json.loads(text)
        check(rfc8785.dumps(bundle) == text.encode(), "the bundle is not canonical JSON")
        check(isinstance(bundle, dict) and bundle.get("format") == "sealbook-bundle/1", "the format is another one")
        check(has_shape(bundle, BUNDLE), "a member is missing, unknown, or has another form")
    record, merkle, anchor, block = (bundle[name] for name in ("record", "merkle", "anchor", "block"))
    with step("signature_invalid"):
        signature = bundle["signature"]
        signed = rfc8785.dumps({**bundle, "signature": {k: v for k, v in signature.items() if k != "value"}})
        jwk, value = signature["public_key"], hexed(signature["value"])
        key_id = base64.urlsafe_b64encode(hashlib.sha256(rfc8785.dumps(jwk)).digest()).rstrip(b"=").decode()
        check(key_id == signature["key_id"], "the key id is of another key")
        try:
            x, y = (number(base64.urlsafe_b64decode(jwk[name] + "=")) for name in ("x", "y"))
            key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
            key.verify(utils.encode_dss_signature(number(value[:32]), number(value[32:])), signed, ec.ECDSA(SHA256()))
        except Exception:
            check(False, "the issuer's signature is wrong")
        check(number(value[32:]) <= P256_ORDER // 2, "the issuer's signature has its other form")
        check(trusted_key in (None, key_id), "the key is not the trusted one", "key_not_trusted")
    with step("document_differs"):
        check(hashlib.sha256(document).hexdigest() == record["hash"], "the document is another one")
    with step("record_invalid"):
        metadata = record["metadata"]
        recorded = f"{record['document_id']}{metadata['timestamp']}{metadata.get('type', '')}{record['hash']}"
        check(hashlib.sha256(recorded.encode()).hexdigest() == record["record_hash"], "the recorded hash is of another record")
    anchored, size = hexed(record["record_hash"]), 0
    with step("batch_invalid"):
        if merkle is not None:
            index, size = merkle["index"], merkle["size"]
            node = keccak256(keccak256(anchored))
            check(node == hexed(merkle["leaf"]), "the leaf is of another record")
            check(1 <= size <= 1000 and index < size and len(merkle["path"]) == path_length(index, size), "the path has another length")
            for sibling in map(hexed, merkle["path"]):
                node = keccak256(min(node, sibling) + max(node, sibling))
            check(node == hexed(merkle["root"]), "the path leads to another root")
            anchored = node
    with step("header_invalid"):
        header, protocol = rlp.decode(hexed(block["header"])), bundle["consensus"]["protocol"]
        check(len(header) >= 15, "the header has too few fields")
        items = [] if protocol == "none" else rlp.decode(header[12])
        if items:
            check(len(items) == 5 and isinstance(items[3], bytes), "the extra data have another form")
            check(all(len(seal) == 65 for seal in items[4]), "a seal is not 65 bytes")
        hashed = header if protocol == "none" else [*header[:12], extra_data(protocol, items, "hash"), *header[13:]]
        check(keccak256(rlp.encode(hashed)) == hexed(block["hash"]), "the header is of another block")
        listed = [f"0x{address.hex()}" for address in (items[1] if items else [])]
        check(listed == bundle["consensus"]["validators"], "the header has other validators")
    key = rlp.encode(anchor["index"])
    with step("transaction_invalid"):
        raw = hexed(anchor["transaction"]["raw"])
        check(trie_value(header[4], key, anchor["transaction"]["proof"]) == raw, "the block has another transaction")
        if raw[0] >= 0xC0:
            _, _, _, to, _, data, v, _, _ = rlp.decode(raw)
            check(number(v) >= 35, "the transaction has no chain id")
            chain_id = (number(v) - 35) // 2
        else:
            fields, place = rlp.decode(raw[1:]), 4 if raw[0] == 1 else 5
            check(1 <= raw[0] <= 4 and len(fields) >= 11, "the transaction has an unknown type")
            to, data, chain_id = fields[place], fields[place + 2], number(fields[0])
        call = b"anchor(bytes32)" if merkle is None else b"anchorBatch(bytes32,uint32)"
        arguments = anchored if merkle is None else anchored + size.to_bytes(32, "big")
        check(to == hexed(anchor["contract"]) and chain_id == anchor["chain_id"], "the transaction is for another contract or chain")
        check(data == keccak256(call)[:4] + arguments, "the transaction has another hash")
    with step("receipt_invalid"):
        raw = hexed(anchor["receipt"]["raw"])
        check(trie_value(header[5], key, anchor["receipt"]["proof"]) == raw, "the block has another receipt")
        status, _, _, logs = rlp.decode(raw if raw[0] >= 0xC0 else raw[1:])
        log = [to, [keccak256(b"Anchored(bytes32,uint32)"), anchored], size.to_bytes(32, "big")]
        check(all(len(each) == 3 for each in logs), "a log has another form")
        check(status == b"\x01" and log in logs, "the contract has not anchored the hash")
    with step("contract_differs"):
        check(contract is None or contract.lower() == anchor["contract"], "the contract is another one")
    with step("seals_invalid"):
        if validators is not None:
            check(protocol != "none", "blocks of this chain have no commit seals", "seals_absent")
            expected = {address.lower() for address in validators}
            check(expected and set(listed) == expected, "the validators are others", "validators_differ")
            signed = keccak256(rlp.encode([*header[:12], extra_data(protocol, items, "seals"), *header[13:]]))
            keys = [PublicKey.from_signature_and_message(seal, signed, hasher=None).format(compressed=False) for seal in items[4]]
            signers = {f"0x{keccak256(key[1:])[-20:].hex()}" for key in keys}
            check(len(signers) == len(items[4]) and signers <= expected, "a seal is of nobody on the list, or repeated")
            check(3 * len(signers) >= 2 * len(expected), "there are too few seals", "seals_too_few")
    with step("nothing_trusted"):
        check(trusted_key is not None or validators is not None, "nothing in it is trusted: give --trust-key or --validators")
    return number(header[8]), datetime.datetime.fromtimestamp(number(header[11]), datetime.timezone.utc)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Verifies a portable proof offline.")
    parser.add_argument("bundle", type=pathlib.Path)
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--trust-key", help="the id of the issuer's key")
    parser.add_argument("--validators", type=pathlib.Path, help="a file with the validators' addresses")
    parser.add_argument("--contract", help="the address of the ProofAnchor contract")
    given = parser.parse_args()
    addresses = given.validators and re.findall("0x[0-9a-fA-F]{40}", given.validators.read_text("utf-8-sig"))
    try:
        block, time = verify(given.bundle.read_bytes(), given.document.read_bytes(), given.trust_key, addresses, given.contract)
    except Failed as failed:
        outcome, code = ("UNDETERMINED", 3) if failed.code in UNDETERMINED else ("NOT VERIFIED", 1)
        print(f"{outcome} ({failed.code}): {failed}")
        sys.exit(code)
    print(f"VERIFIED: the document existed at block {block}, {time:%Y-%m-%d %H:%M:%S} UTC")
