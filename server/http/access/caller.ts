import { hash as digest, randomBytes } from "node:crypto";
import type { Request } from "express";
import { sourceOf } from "./source.ts";

/**
 * Permissions of a caller: `read` permits queries, `write` also permits recording documents and making attestations.
 */
export type AccessScope = "read" | "write";

/** A stored API key. The secret is shown once, at its creation, and stored nowhere. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: AccessScope;
  /** SHA-256 of the secret part: 32 random bytes, which need no salt. */
  readonly digest: Uint8Array;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds; `undefined` when it does not expire. */
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
}

/** The API keys on disk. */
export interface ApiKeyStore {
  insert(key: ApiKey): Promise<void>;
  find(id: string): Promise<ApiKey | undefined>;
  list(): Promise<ApiKey[]>;
  /** @returns false when there is no such key, or it is revoked already */
  revoke(id: string, at: number): Promise<boolean>;
}

const PREFIX = "sbk";
const ID_BYTES = 6;
const SECRET_BYTES = 32;
const FORM = /^sbk_([0-9a-f]{12})_([0-9a-f]{64})$/;

/** Creates an API key and the text that its holder presents. */
export function newApiKey(
  name: string,
  scope: AccessScope,
  createdAt: number,
  expiresAt: number | undefined,
): { key: ApiKey; text: string } {
  const id = randomBytes(ID_BYTES).toString("hex");
  const secret = randomBytes(SECRET_BYTES);
  const key: ApiKey = { id, name, scope, digest: digestOf(secret), createdAt, expiresAt, revokedAt: undefined };
  return { key, text: `${PREFIX}_${id}_${secret.toString("hex")}` };
}

/** Parses a presented text into the id and the digest of the secret; `undefined` when it is not an API key. */
export function parseApiKey(text: string): { readonly id: string; readonly digest: Uint8Array } | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, digest: digestOf(Buffer.from(secret, "hex")) };
}

export function isValid(key: ApiKey, now: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || now < key.expiresAt);
}

function digestOf(secret: Uint8Array): Uint8Array {
  return digest("sha256", secret, "buffer");
}

/** The caller of a request. */
interface Caller {
  /** `source`: nobody authenticated. */
  readonly kind: "account" | "api_key" | "token" | "source";
  /** The account's address, the id of the API key, the subject of the token, or the network address. */
  readonly id: string;
}

/** A caller of the integrity-proof API. */
export interface ApiCaller extends Caller {
  readonly scope: AccessScope;
}

const callers = new WeakMap<Request, Caller>();
const publicCallers = new WeakSet<Request>();
const apiCallers = new WeakMap<Request, ApiCaller>();

/** Records the account that makes a request. */
export function noteAccount(request: Request, address: string): void {
  callers.set(request, { kind: "account", id: address });
}

/** Records that a request came without credentials to a part that needs none, although the API does. */
export function notePublicCaller(request: Request): void {
  publicCallers.add(request);
}

/** Returns whether the caller may know what a proof shows, and nothing else of the journal. */
export function isPublicCaller(request: Request): boolean {
  return publicCallers.has(request);
}

/** Records the authenticated caller of the integrity-proof API. */
export function noteApiCaller(request: Request, caller: ApiCaller): void {
  callers.set(request, caller);
  apiCallers.set(request, caller);
}

/** Returns the authenticated caller of a request; `undefined` when nobody authenticated. */
export function authenticatedCaller(request: Request): Caller | undefined {
  return callers.get(request);
}

/** Returns the authenticated caller of the integrity-proof API; `undefined` when nobody authenticated. */
export function authenticatedApiCaller(request: Request): ApiCaller | undefined {
  return apiCallers.get(request);
}

/** Returns the caller of the integrity-proof API. Without authentication, all allowed networks may write. */
export function apiCaller(request: Request): ApiCaller {
  return apiCallers.get(request) ?? { kind: "source", id: sourceOf(request).key, scope: "write" };
}
