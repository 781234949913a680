import { isIP, isIPv6, type LookupFunction } from "node:net";
import { lookup as resolve } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { follow, parseJsonPath } from "./json-path.ts";
import type { SensorSource } from "./form.ts";
import { NetworkList } from "../kit/network-list.ts";
import { MAX_READING, parseReading } from "./reading.ts";
import { type JsonValue, parseJson } from "../kit/json.ts";

/** Non-public networks and networks that tunnel to others, from IANA's registries of special addresses. */
const special = new NetworkList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Within the range of all public addresses:
  ...["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
]);
const global6 = new NetworkList(["2000::/3"]);

/** Whether an IP address is public: not local, private or reserved. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone is local.
  if (address.includes("%")) return false;
  // IPv4-mapped addresses are outside of 2000::/3 and therefore not public.
  return (!isIPv6(address) || global6.has(address)) && !special.has(address);
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const TIMEOUT_MILLISECONDS = 10_000;
const MAX_REDIRECTS = 3;

/** Reasons for a missing value. */
export type SourceFault =
  | "private_address"
  | "unreachable"
  | "too_slow"
  | "too_large"
  | "too_many_redirects"
  | "bad_status"
  | "not_json"
  | "nothing_there"
  | "not_a_reading";

/** Reads the current value of a source. */
export type ReadSource = (source: Extract<SensorSource, { kind: "http" }>) => Promise<number | SourceFault>;

class SourceError extends Error {
  readonly fault: SourceFault;

  constructor(fault: SourceFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Fetches values of sensors. URLs are untrusted, so the reader rejects non-public addresses. It checks the resolved
 * address that it connects to, which prevents DNS rebinding.
 * @param isAllowed Returns whether a non-public address is allowed
 */
export function sourceReader(isAllowed: (address: string) => boolean): ReadSource {
  const isOpen = (address: string): boolean => isPublicAddress(address) || isAllowed(address);

  const lookup: LookupFunction = (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, "");
      else if (first === undefined || !addresses.every(({ address }) => isOpen(address)))
        callback(new SourceError("private_address"), "");
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  const get = async (url: URL, signal: AbortSignal): Promise<IncomingMessage> => {
    const literal = url.hostname.replace(/^\[|\]$/g, "");
    // IP literals are not resolved, so they are checked here.
    if (isIP(literal) !== 0 && !isOpen(literal)) throw new SourceError("private_address");
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    const headers = { Accept: "application/json", "Accept-Encoding": "identity", "User-Agent": "sealbook" };
    return new Promise((done, failed) => {
      request(url, { lookup, signal, headers, agent: false }).once("response", done).once("error", failed).end();
    });
  };

  const fetchText = async (address: string): Promise<string> => {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    let url = new URL(address);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await get(url, signal);
      const { statusCode = 0, headers } = response;
      if (statusCode === 200) return textOf(response);
      response.destroy();
      const next =
        statusCode >= 300 && statusCode < 400 && headers.location !== undefined
          ? URL.parse(headers.location, url.href)
          : null;
      if (next === null || !/^https?:$/.test(next.protocol)) throw new SourceError("bad_status");
      url = next;
    }
    throw new SourceError("too_many_redirects");
  };

  return async ({ url, path }) => {
    try {
      return valueIn(await fetchText(url), path);
    } catch (error) {
      return faultOf(error);
    }
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a response is not read as bytes");
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new SourceError("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function valueIn(text: string, path: string): number | SourceFault {
  let document: JsonValue;
  try {
    document = parseJson(text);
  } catch {
    return "not_json";
  }
  const found = follow(document, parseJsonPath(path) ?? []);
  if (found === undefined) return "nothing_there";
  const value = typeof found === "string" ? parseReading(found) : found;
  return typeof value === "number" && value >= 0 && value <= MAX_READING ? value : "not_a_reading";
}

function faultOf(error: unknown): SourceFault {
  if (error instanceof SourceError) return error.fault;
  return error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")
    ? "too_slow"
    : "unreachable";
}
