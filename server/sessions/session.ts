import { hkdfSync, randomBytes, randomInt } from "node:crypto";
import keccak256 from "keccak256";
import type { TransactionOutcome } from "../chain/transaction.ts";
import { relayerRefused } from "../chain/contracts/roles.ts";
import { SealbookError } from "../errors.ts";
import { bytesOfHex } from "../kit/bytes.ts";
import type { Scope } from "../chain/contracts/session-registry-client.ts";

/** Returns the error for a session's transaction that did not succeed. */
export function sessionError(outcome: TransactionOutcome): SealbookError {
  if (outcome.state !== "reverted") {
    return new SealbookError("chain_unavailable", "the chain did not confirm the session in time", {
      retryAfterSeconds: 5,
    });
  }
  switch (/^\w+/.exec(outcome.reason)?.[0]) {
    case "SessionExpired":
      return new SealbookError("token_expired", "the token has expired");
    case "SessionUnknown":
    case "SessionEnded":
    case "TokenReplaced":
      return new SealbookError("token_invalid", "the token was replaced or its session closed");
    case "SessionNotValidated":
    case "TooLateToExtend":
      return new SealbookError("extend_refused", "the chain refused the extension: " + outcome.reason);
    case "OpeningExpired":
      return new SealbookError("chain_unavailable", "the chain did not open the session in time", {
        retryAfterSeconds: 5,
      });
    case "AccountNotEnrolled":
      return new SealbookError("login_refused", "the account was revoked, or is not enrolled in these contracts");
    case "AccessControlUnauthorizedAccount":
      return relayerRefused();
    default:
      return new SealbookError("chain_reverted", `the chain refused the call: ${outcome.reason}`);
  }
}

/** Length of a token and of a secure key. */
const BYTES = 32;

/** Generates an access token or secure key: 32 random bytes. */
export function randomKey(): Uint8Array {
  return randomBytes(BYTES);
}

/**
 * Derives the successor of a token for a client that can repeat its call: the same call gives the same successor, which
 * is stored nowhere.
 * @param key The call with the client's idempotency key
 */
export function successorOf(token: Uint8Array, secureKey: Uint8Array, key: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", Buffer.concat([secureKey, token]), "", `sealbook successor ${key}`, BYTES));
}

/** Computes keccak-256 of a token, which is the token's identifier on chain. */
export function tokenHash(token: Uint8Array): Uint8Array {
  return keccak256(Buffer.from(token));
}

/**
 * Parses a token from a request.
 * @throws SealbookError `token_invalid` if the text is not `0x` and 64 hex digits
 */
export function parseToken(text: string): Uint8Array {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) {
    throw new SealbookError("token_invalid", "the token is not 0x and 64 hexadecimal digits");
  }
  return bytesOfHex(text);
}

// Excludes ambiguous letters and digits, because people copy passwords by hand.
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH = 20;

/** Generates a password with about 116 bits of entropy. */
export function generatePassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
}

/** An account that may log in. */
export interface Account {
  readonly address: string;
  readonly scope: Scope;
  /** Encrypted signing key (Web3 Secret Storage, scrypt). */
  readonly keystore: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Whether the registry contract lists the account: false before enrolment is confirmed and after revocation. */
  readonly enrolled: boolean;
  /** Unix milliseconds. */
  readonly revokedAt: number | undefined;
}

/**
 * Life cycle of a token. `opening` and `replacing` wait for a transaction, which makes the first `active` and the
 * second `ended`. `ended` is final.
 */
type SessionState = "opening" | "active" | "replacing" | "ended";

/** A token, identified by its hash, and the keys that it decrypts. */
export interface Session {
  /** keccak-256 of the token. */
  readonly tokenHash: Uint8Array;
  /** Identifier of the session on chain, the same for all its tokens. */
  readonly id: Uint8Array;
  readonly account: string;
  readonly state: SessionState;
  /** Unix seconds; that of the replaced token while opening, 0 for a login. */
  readonly expiresAt: number;
  readonly validated: boolean;
  /** The session's secure key, encrypted under the token. Both keys are empty once the token has ended or expired. */
  readonly wrappedSecureKey: Uint8Array;
  /** The account's signing key, encrypted under the secure key. */
  readonly encryptedSigningKey: Uint8Array;
  /** The transaction that opens or ends the session. */
  readonly transactionId: number;
}

/** The changes of a transition. */
export interface SessionChange {
  readonly state: SessionState;
  /** Keeps the keys of an ended token until its successor ends or it expires. Default: an ended token has none. */
  readonly keepsKeys?: boolean;
  readonly expiresAt?: number;
  readonly validated?: boolean;
  readonly transactionId?: number;
}
