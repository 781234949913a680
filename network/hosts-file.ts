import { LineCounter, type Document, isNode, parseDocument } from "yaml";
import * as z from "zod";
import { parseEnode } from "../server/chain/consensus/peers.ts";
import { SealbookError } from "../server/errors.ts";

/** Reserved names: folders beside those of the data centres. */
const RESERVED = ["authority", "changes", "compose", "monitoring"];

const name = z
  .string()
  .regex(
    /^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/,
    "is not a valid name: use at most 32 lower-case letters, digits and hyphens, starting with a letter",
  )
  .refine((text) => !RESERVED.includes(text), `is one of ${RESERVED.join(", ")}, which are reserved`);
const port = z.int("is not a port").min(1, "is not a port").max(65_535, "is not a port");
const dnsName = z
  .string()
  .regex(
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i,
    "is not a DNS name",
  );
const publicKey = z
  .string()
  .regex(/^0x[0-9a-f]{128}$/i, "is not a public key: 0x and 128 hexadecimal digits")
  .refine(
    (text) => parseEnode(`enode://${text.slice(2)}@host`) !== undefined,
    "is not a public key: it is not a point of the curve",
  )
  .transform((text) => text.toLowerCase());

const Host = z.strictObject({
  /** Name of the data centre, its folder, its certificate and its validator. */
  name,
  /** Address for other validators and relayers; enode addresses require an IP address. */
  address: z.ipv4("is not an IPv4 address"),
  /** Further host names of its RPC endpoint. */
  dns: z.array(dnsName).default([]),
  p2pPort: port.default(30_303),
  rpcPort: port.default(8_545),
  metricsPort: port.default(9_545),
  /** Public key of a node key that was generated on its own machine. */
  publicKey: publicKey.optional(),
});

const Relayer = z.strictObject({
  name,
  /** Data centres of its nodes, in failover order. */
  nodes: z.array(name).min(1, "has no nodes"),
});

const HostsFile = z
  .strictObject({ hosts: z.array(Host).min(1, "has no hosts"), relayers: z.array(Relayer).optional() })
  .transform(({ hosts, relayers }) => ({
    hosts,
    relayers: relayers ?? [{ name: "relayer", nodes: hosts.slice(0, 1).map((host) => host.name) }],
  }))
  .superRefine(({ hosts, relayers }, context) => {
    const refuse = (path: PropertyKey[], message: string): void => context.addIssue({ code: "custom", path, message });
    const names = new Set<string>();
    const endpoints = new Set<string>();
    for (const [index, host] of hosts.entries()) {
      if (names.has(host.name)) refuse(["hosts", index, "name"], `"${host.name}" is used twice`);
      names.add(host.name);
      for (const field of ["p2pPort", "rpcPort", "metricsPort"] as const) {
        const endpoint = `${host.address}:${host[field]}`;
        if (endpoints.has(endpoint)) refuse(["hosts", index, field], `${endpoint} is used twice`);
        endpoints.add(endpoint);
      }
    }
    for (const [index, relayer] of relayers.entries()) {
      if (names.has(relayer.name)) refuse(["relayers", index, "name"], `"${relayer.name}" is used twice`);
      names.add(relayer.name);
      for (const [position, node] of relayer.nodes.entries()) {
        if (relayer.nodes.indexOf(node) !== position)
          refuse(["relayers", index, "nodes", position], `"${node}" is listed twice`);
        if (!hosts.some((host) => host.name === node))
          refuse(["relayers", index, "nodes", position], `"${node}" is not in hosts`);
      }
    }
  });

/** A data centre of the hosts file. */
export type HostEntry = z.output<typeof Host>;
/** The content of the hosts file. */
export type Hosts = z.output<typeof HostsFile>;

/**
 * Parses a hosts file.
 * @param file File name for messages
 * @throws SealbookError `malformed`, with the line of each fault
 */
export function parseHosts(text: string, file: string): Hosts {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const faults = document.errors.map(
    ({ pos, message }) => `${file}:${lines.linePos(pos[0]).line}: ${message.split("\n", 1)[0] ?? ""}`,
  );
  if (faults.length > 0) throw new SealbookError("malformed", faults.join("\n"));
  const parsed = HostsFile.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  throw new SealbookError(
    "malformed",
    parsed.error.issues
      .map(
        ({ path, message }) =>
          `${file}:${lineOf(document, lines, path)}: ${path.length === 0 ? "" : `${path.join(".")}: `}${message}`,
      )
      .join("\n"),
  );
}

/** Returns the line of a field, or of its parent when the field is missing. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
