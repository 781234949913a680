import { resolve } from "node:path";
import { computeAddress, getAddress, isAddress } from "ethers";
import * as z from "zod";
import { isNetwork } from "../kit/network-list.ts";
import { parseTargets } from "../journal/replication/targets.ts";

// How the values of environment variables are written.

export const whole = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "is not a whole number")
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `is not between ${minimum} and ${maximum}`);

export const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), "is not an http or https address")
  .transform((text) => text.replace(/\/+$/, ""));

/** The path of a file, or the address of a JWKS. */
export const publicKeySource = z
  .string()
  .min(1)
  .refine(
    (text) => !/^https?:/i.test(text) || (URL.canParse(text) && new URL(text).username + new URL(text).password === ""),
    "is not an address, or holds a name or password, which is sent nowhere",
  );

/**
 * A list with commas between its items.
 * @param fault Returns the fault of an item that is not valid; it must not name an item that may hold a secret
 */
function list(isItem: (item: string) => boolean, fault: (item: string, number: number) => string) {
  return z.string().transform((text, context): string[] => {
    const items = text.split(",").map((item) => item.trim());
    const wrong = items.findIndex((item) => !isItem(item));
    if (wrong === -1) return items;
    context.addIssue({ code: "custom", message: fault(items[wrong] ?? "", wrong + 1) });
    return z.NEVER;
  });
}

/** Names of hosts, without port. */
export const hostNames = list(
  (name) => /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i.test(name),
  (name) => `has "${name}", which is not the name or the address of a host`,
);

/** As browsers send them: without a path, a default port or capital letters. */
export const origins = list(
  (item) => /^https?:\/\/[^*]+$/.test(item) && URL.parse(item)?.origin === item,
  (item) => `has "${item}", which is no origin such as https://app.example; there is no wildcard`,
);

/** The host is named in the pages' policy, so that it may hold nothing but a name; one for all, or `{s}` before it. */
export const tileUrl = z
  .string()
  .regex(/^https?:\/\/(\{s\}\.)?[a-z0-9.-]+(:\d{1,5})?\/[^\s"'<>\\]*$/i, "is not an http or https address of tiles")
  .refine((text) => ["{z}", "{x}", "{y}"].every((part) => text.includes(part)), "lacks {z}, {x} or {y}");

/** Addresses of nodes of one chain. */
export const nodeUrls = z.string().transform((text, context): readonly [string, ...string[]] => {
  const items = text.split(",").map((item) => item.trim().replace(/\/+$/, ""));
  const wrong = items.findIndex((item) => !/^https?:$/.test(URL.parse(item)?.protocol ?? ""));
  const [first, ...others] = items;
  if (wrong === -1 && first !== undefined && new Set(items).size === items.length) return [first, ...others];
  // The address itself may hold a password.
  const which = items.length === 1 ? "is" : `has an item, number ${wrong + 1}, that is`;
  const message = wrong === -1 ? "has an address twice" : `${which} not an http or https address`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

export const oneLine = z
  .string()
  .max(200, "is longer than 200 characters")
  .refine((text) => text.trim() !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text), "is not one line of text");

/** Which database the journal is in. */
export type DatabaseConfig =
  { readonly kind: "sqlite"; readonly file: string } | { readonly kind: "postgres"; readonly url: string };

export const databaseUrl = z
  .string()
  // The value itself never gets into a message: it can hold a password.
  .refine(
    (text) => /^file:./.test(text) || isPostgresUrl(text),
    "is neither file:PATH nor postgres://USER:PASSWORD@HOST/DATABASE",
  )
  .transform((text): DatabaseConfig =>
    text.startsWith("file:")
      ? { kind: "sqlite", file: resolve(text.slice("file:".length)) }
      : { kind: "postgres", url: text },
  );

function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return false;
  // The path is percent-decoded later, and so are name and password, which a stray "%" would not survive.
  const { host, pathname, searchParams } = url;
  return /^\/[^/]+$/.test(pathname) && (host !== "" || searchParams.has("host")) && !/%(?![0-9a-f]{2})/i.test(text);
}

export const privateKey = z
  .string()
  .transform((text) => (text.startsWith("0x") ? text : `0x${text}`))
  // The value itself never gets into a message: it is a secret.
  .refine(isPrivateKey, "is not a private key of 64 hexadecimal digits");

export const address = z
  .string()
  .refine((text) => /^0x/.test(text) && isAddress(text), "is not a blockchain address: 0x and 40 hexadecimal digits")
  .transform((text) => getAddress(text));

function isPrivateKey(text: string): boolean {
  try {
    computeAddress(text);
    return true;
  } catch {
    return false;
  }
}

export const telegramToken = z
  .string()
  // The value itself never gets into a message: it is a secret.
  .refine(
    (text) => /^\d{3,20}:[\w-]{30,100}$/.test(text),
    "is not a bot's token, as BotFather gives it: 123456:ABC...",
  );

export const validatorNames = z.string().transform((text, context) => {
  const names = new Map<string, string>();
  for (const pair of text.split(",").filter((item) => item.trim() !== "")) {
    const [address = "", name = ""] = pair.split("=").map((part) => part.trim());
    if (!/^0x[0-9a-fA-F]{40}$/.test(address) || name === "") {
      context.addIssue({ code: "custom", message: `"${pair.trim()}" is not of the form 0xADDRESS=NAME` });
      return z.NEVER;
    }
    names.set(address.toLowerCase(), name);
  }
  return names;
});

/** Addresses of relayers by their ids. */
export const relayerAddresses = z.string().transform((text, context) => {
  const addresses = new Map<string, URL>();
  for (const pair of text.split(",").filter((item) => item.trim() !== "")) {
    const [, id = "", address = ""] = /^\s*([\w.-]{1,64})=(\S+)\s*$/.exec(pair) ?? [];
    const url = URL.parse(address);
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
    if (!isOrigin || addresses.has(id)) {
      const form = "ID=URL, with an id of its own, and an http or https address without a path";
      const message = `"${pair.trim()}" is not of the form ${form}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
    addresses.set(id, url);
  }
  return addresses;
});

export const replicaTargets = z.string().transform((text, context) => {
  const { targets, faults } = parseTargets(text);
  for (const message of faults) context.addIssue({ code: "custom", message });
  return targets;
});

/** Loopback, private and link-local networks. */
export const INSIDE = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,fc00::/7,fe80::/10";

export const networks = list(isNetwork, (item) => `"${item}" is not an address, nor a network such as 10.0.0.0/8`);

export const webhooks = list(
  // Name and password are percent-decoded later, which a stray "%" would not survive.
  (item) => /^https?:$/.test(URL.parse(item)?.protocol ?? "") && !/%(?![0-9a-f]{2})/i.test(item),
  (_, number) => `has an item, number ${number}, that is not an http or https address`,
);
