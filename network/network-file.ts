import { join } from "node:path";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { SealbookError } from "../server/errors.ts";
import { isMissing } from "./folder.ts";

/** Version of Besu that the files are generated for. */
export const BESU_VERSION = "26.9.0";
/** The oldest version of Besu that `check` accepts: before it, a crashed proposer held transactions. */
export const MINIMUM_BESU_VERSION = "26.8.1";

const address = z.string().regex(/^0x[0-9a-f]{40}$/);

const Host = z.object({
  name: z.string(),
  address: z.string(),
  dns: z.array(z.string()),
  p2pPort: z.int(),
  rpcPort: z.int(),
  metricsPort: z.int(),
  publicKey: z.string(),
  /** Address of the validator, derived from its node's key; lower-case. */
  validator: address,
});

const NetworkFile = z.object({
  version: z.literal(1),
  /** Parameters that apply to all nodes. */
  plan: z.object({
    /** The software of the nodes. */
    engine: z.literal("besu", "is not besu, the one software whose files are generated"),
    consensus: z.enum(["ibft2", "qbft"]),
    chainId: z.int(),
    blockPeriodSeconds: z.int(),
    /** Seconds between empty blocks; defaults to {@link blockPeriodSeconds}. */
    emptyBlockPeriodSeconds: z.int().optional(),
    requestTimeoutSeconds: z.int(),
    gasLimit: z.int(),
  }),
  /** Immutable parameters of the genesis block. */
  genesis: z.object({
    /** Unix seconds. */
    timestamp: z.int(),
    validators: z.array(address),
    hash: z.string(),
  }),
  hosts: z.array(Host),
  relayers: z.array(z.object({ name: z.string(), nodes: z.array(z.string()) })),
});

/** The description of a network. It contains no secrets: every data centre has a copy. */
export type Network = z.output<typeof NetworkFile>;
export type Plan = Network["plan"];
export type NetworkHost = Network["hosts"][number];
export type NetworkRelayer = Network["relayers"][number];

export const NETWORK_FILE = "network.json";

/** @returns `undefined` when there is no network */
export async function readNetwork(directory: string): Promise<Network | undefined> {
  const file = join(directory, NETWORK_FILE);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = NetworkFile.safeParse(jsonIn(file, text));
  if (parsed.success) return parsed.data;
  const [{ path, message } = { path: [], message: "" }] = parsed.error.issues;
  throw new SealbookError("malformed", `${file}: ${path.join(".")}: ${message}`);
}

function jsonIn(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SealbookError("malformed", `${file}: is not JSON`);
  }
}

export function networkText(network: Network): string {
  return `${JSON.stringify(network, null, 2)}\n`;
}

/** @throws SealbookError `not_found` */
export async function openNetwork(directory: string): Promise<Network> {
  const network = await readNetwork(directory);
  if (network === undefined)
    throw new SealbookError("not_found", `there is no network in ${directory}: init makes one`);
  return network;
}
