import { SealbookError } from "../../errors.ts";

/** The address of a node and its transport. */
export type NodeAddress =
  | { readonly kind: "http" | "websocket"; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "ipc"; readonly path: string };

/**
 * Parses the address of a node: `http(s)://`, `ws(s)://`, or `ipc:///PATH` of a socket. Name and password become a
 * header, so that no error message holds them.
 * @throws SealbookError `config_invalid`
 */
export function parseNodeAddress(text: string): NodeAddress {
  const url = URL.parse(text);
  switch (url?.protocol) {
    case "http:":
    case "https:":
      return { kind: "http", ...withoutCredentials(url) };
    case "ws:":
    case "wss:":
      return { kind: "websocket", ...withoutCredentials(url) };
    case "ipc:":
      if (url.host === "" && url.pathname.length > 1) return { kind: "ipc", path: decoded(url.pathname) };
  }
  // The message leaves the text out, because it may hold a password.
  throw new SealbookError("config_invalid", "the node's address is not an http(s), ws(s) or ipc:///path address");
}

/** Returns an address for logs and reports: without name, password and query. */
export function shownAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null) return "that address";
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}

function withoutCredentials(url: URL): { url: URL; headers: Readonly<Record<string, string>> } {
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  if (username === "" && password === "") return { url, headers: {} };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { url, headers: { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

/** Decodes percent signs; returns a malformed text as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
