import { SealbookError } from "../../errors.ts";

/** The address of a node. */
export interface NodeAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Parses the address of a node. Name and password become a header, so that no error message holds them.
 * @throws SealbookError `config_invalid` for another address than `http(s)://`
 */
export function parseNodeAddress(text: string): NodeAddress {
  const url = URL.parse(text);
  // The message leaves the text out, because it may hold a password.
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new SealbookError("config_invalid", "the node's address is not an http or https address");
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  if (username === "" && password === "") return { url, headers: {} };
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { url, headers: { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}

/** Returns an address for logs and reports: without name, password and query. */
export function shownAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null) return "that address";
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${url.protocol}//${url.host}${path}`;
}

/** Decodes percent signs; returns a malformed text as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
