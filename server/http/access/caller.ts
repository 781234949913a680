import type { Request } from "express";
import type { AccessScope } from "./api-key.ts";
import { sourceOf } from "./source.ts";

/** Who makes a request. */
export interface Caller {
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
const apiCallers = new WeakMap<Request, ApiCaller>();

/** Records the account that makes a request. */
export function noteAccount(request: Request, address: string): void {
  callers.set(request, { kind: "account", id: address });
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

/** Returns the caller of the integrity-proof API. Without authentication, all allowed networks may write. */
export function apiCaller(request: Request): ApiCaller {
  return apiCallers.get(request) ?? { kind: "source", id: sourceOf(request).key, scope: "write" };
}
