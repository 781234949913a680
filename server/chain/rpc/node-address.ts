import { SealbookError } from "../../errors.ts";

/** Where a node is, and how it is spoken to. */
export type NodeAddress =
  | { readonly kind: "http" | "websocket"; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: "ipc"; readonly path: string };

/**
 * Reads the address of a node: `http(s)://`, `ws(s)://`, or `ipc:///PATH` of a socket. A name and password in it
 * become a header, and so never a part of what errors tell.
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
  // The text itself may hold a password.
  throw new SealbookError("config_invalid", "the node's address is not an http(s), ws(s) or ipc:///path address");
}

/** An address fit to be shown: without name, password and query. */
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

/** Without percent signs, unless they mean themselves. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
