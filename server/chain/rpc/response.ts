import { nodeErrorOf, unavailable } from "./rpc.ts";

/** The response to one call; the error is thrown to the caller as it is. */
export type RpcResponse =
  { readonly id: unknown; readonly result: unknown } | { readonly id: unknown; readonly error: Error };

/** Reads one JSON-RPC response; anything else becomes an error. */
export function responseOf(message: unknown): RpcResponse {
  if (typeof message !== "object" || message === null) return { id: undefined, error: malformedResponse() };
  const id = "id" in message ? message.id : undefined;
  // Some nodes write both fields, with null in the one that does not apply.
  if ("error" in message && message.error !== null && message.error !== undefined) {
    return { id, error: nodeErrorOf(message.error) ?? malformedResponse() };
  }
  return "result" in message ? { id, result: message.result } : { id, error: malformedResponse() };
}

/** The failure of a call with a malformed response. */
export function malformedResponse(): Error {
  return unavailable(new Error("the message is not a JSON-RPC response to the call"));
}

/** Encodes one request. */
export function requestText(id: number, method: string, parameters: readonly unknown[] | object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: parameters });
}
