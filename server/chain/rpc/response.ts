import { nodeErrorOf, unavailable } from "./rpc.ts";

/** What came back for one call; the error is what the caller gets to see. */
export type RpcResponse =
  { readonly id: unknown; readonly result: unknown } | { readonly id: unknown; readonly error: Error };

/** Reads one JSON-RPC answer; what is none counts as an answer that no call can use. */
export function responseOf(message: unknown): RpcResponse {
  if (typeof message !== "object" || message === null) return { id: undefined, error: malformedResponse() };
  const id = "id" in message ? message.id : undefined;
  // Some nodes write both, and null for the one that does not apply.
  if ("error" in message && message.error !== null && message.error !== undefined) {
    return { id, error: nodeErrorOf(message.error) ?? malformedResponse() };
  }
  return "result" in message ? { id, result: message.result } : { id, error: malformedResponse() };
}

/** The failure of a call whose answer is not one. */
export function malformedResponse(): Error {
  return unavailable(new Error("what came is not a JSON-RPC answer to the call"));
}

/** One call, as it goes to the node. */
export function requestText(id: number, method: string, parameters: readonly unknown[] | object): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: parameters });
}
