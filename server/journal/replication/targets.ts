import { fileURLToPath } from "node:url";
import type { FolderOptions } from "./folder-store.ts";
import type { S3Options } from "./s3-store.ts";

/** A configured target. */
export type TargetAddress = ({ readonly kind: "folder" } & FolderOptions) | ({ readonly kind: "s3" } & S3Options);

/**
 * Parses addresses of targets, separated by commas: `file:///PATH`, or `s3://BUCKET/PREFIX`, each with options after a
 * question mark. A comma in an address is written `%2C`.
 * @returns a fault for each invalid item, and the targets of the others
 */
export function parseTargets(text: string): { readonly targets: TargetAddress[]; readonly faults: string[] } {
  const targets: TargetAddress[] = [];
  const faults: string[] = [];
  for (const item of text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")) {
    try {
      const target = parseTarget(item);
      if (targets.some(({ name }) => name === target.name)) throw new AddressFault("is named twice");
      targets.push(target);
    } catch (error) {
      if (!(error instanceof AddressFault)) throw error;
      // The address may contain a password.
      faults.push(`"${item.replace(/\/\/[^/?#]*@/g, "//...@")}" ${error.message}`);
    }
  }
  return { targets, faults };
}

class AddressFault extends Error {}

function parseTarget(item: string): TargetAddress {
  const url = URL.parse(item);
  if (url?.protocol === "file:") return folder(item, url);
  if (url?.protocol === "s3:") return bucket(item, url);
  throw new AddressFault("is not of the form file:///PATH or s3://BUCKET/PREFIX");
}

function folder(name: string, url: URL): TargetAddress {
  const options = optionsOf(url, ["mount"]);
  if (!/^file:\/\/\/[^?]/i.test(name))
    throw new AddressFault("is not of the form file:///PATH, with the path from the root on");
  const path = pathOf(url);
  return { kind: "folder", name, path, mountPoint: flag(options, "mount") };
}

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new AddressFault("has a path that cannot be one");
  }
}

function bucket(name: string, url: URL): TargetAddress {
  const options = optionsOf(url, ["endpoint", "region", "path_style"]);
  if (url.username !== "" || url.password !== "")
    throw new AddressFault("holds credentials: they belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) throw new AddressFault("does not name a bucket");
  const endpoint = options.get("endpoint");
  if (endpoint !== undefined && !isEndpoint(endpoint))
    throw new AddressFault("has an endpoint that is not an http or https address");
  const prefix = decoded(url.pathname).replace(/^\/+|\/+$/g, "");
  // In an address of the service they would lead elsewhere.
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(prefix)) throw new AddressFault('has "." or ".." in its prefix');
  return {
    kind: "s3",
    name,
    bucket: url.host,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint,
    region: options.get("region"),
    pathStyle: flag(options, "path_style"),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressFault("has a prefix that cannot be one");
  }
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

function optionsOf(url: URL, known: readonly string[]): ReadonlyMap<string, string> {
  if (url.hash !== "") throw new AddressFault(`has "#" in it, which is written %23`);
  const options = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!known.includes(name))
      throw new AddressFault(`has the option ${name}, but only ${known.join(", ")} can be given`);
    if (value === "" || options.has(name)) throw new AddressFault(`needs one value for ${name}`);
    options.set(name, value);
  }
  return options;
}

function flag(options: ReadonlyMap<string, string>, name: string): boolean {
  const value = options.get(name) ?? "false";
  if (value !== "true" && value !== "false") throw new AddressFault(`has ${name} that is neither true nor false`);
  return value === "true";
}
