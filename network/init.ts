import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SealbookError } from "../server/errors.ts";
import { AUTHORITY_CERTIFICATE, AUTHORITY_KEY, openAuthority } from "./authority.ts";
import { composeData } from "./node-services.ts";
import { makeHostCredentials, makeRelayerCredentials } from "./credentials.ts";
import { derivedFiles } from "./derived-files.ts";
import { type DerivedFile, Folder } from "./folder.ts";
import { genesisHash } from "./genesis.ts";
import type { HostEntry, Hosts } from "./hosts-file.ts";
import { type Network, type NetworkHost, readNetwork } from "./network-file.ts";
import type { WishedPlan } from "./plan.ts";
import { identityOf, identityOfKey, makeNodeKey, nodeKeyPath } from "./node-key.ts";

const MILLISECONDS = 1_000;
/** Chain ids that no known network uses, so that no transaction is valid on two networks. */
const CHAIN_IDS = { least: 1_000_000_000, below: 2_000_000_000 } as const;

/** Input for a network. */
export interface Wish {
  readonly plan: WishedPlan;
  readonly hosts: Hosts;
}

/** Result of creating a network, or of repeating it. */
export interface Made {
  readonly network: Network;
  readonly folder: Folder;
  /** Data centres whose node keys are stored elsewhere. */
  readonly keysElsewhere: readonly string[];
}

/**
 * Creates a network's files. Repeated, it writes missing files, and the files of relayers that the input changes.
 * @throws SealbookError `conflict` if the input differs otherwise from the existing network
 */
export async function init(directory: string, wish: Wish): Promise<Made> {
  const folder = new Folder(directory);
  const current = await existingNetwork(directory, wish.hosts);
  const network =
    current === undefined ? await newNetwork(folder, wish) : { ...current, relayers: wish.hosts.relayers };
  const differences = differencesOf(network, wish);
  if (differences.length > 0) {
    throw new SealbookError(
      "conflict",
      `${directory} holds another network:\n${differences.join("\n")}\nadd, remove and replace change its validators`,
    );
  }
  const keysElsewhere = await keysThatAreElsewhere(folder, network);
  // network.json is written last: until it exists, a repeated run continues with the existing keys.
  const [networkFile, ...others] = derivedFiles(network);
  const authority = await openAuthority(folder);
  for (const path of [AUTHORITY_CERTIFICATE, AUTHORITY_KEY]) folder.keep(path);
  for (const host of network.hosts) await makeHostCredentials(folder, authority, host);
  for (const host of network.hosts) await folder.addDirectory(composeData(host));
  for (const { name } of network.relayers) await makeRelayerCredentials(folder, authority, name);
  const before = new Map(
    (current === undefined ? [] : derivedFiles(current)).map(({ path, content }) => [path, content]),
  );
  const isChanged = ({ path, content }: DerivedFile): boolean => before.has(path) && before.get(path) !== content;
  const put = (file: DerivedFile): Promise<void> => (isChanged(file) ? folder.update(file) : folder.add(file));
  for (const file of others) await put(file);
  if (networkFile !== undefined) await put(networkFile);
  return { network, folder, keysElsewhere };
}

/** Reads network.json from the network's folder, or from its copy in the folder of a data centre. */
async function existingNetwork(directory: string, { hosts }: Hosts): Promise<Network | undefined> {
  for (const folder of [directory, ...hosts.map(({ name }) => join(directory, name))]) {
    const network = await readNetwork(folder);
    if (network !== undefined) return network;
  }
  return undefined;
}

async function newNetwork(folder: Folder, { plan: wished, hosts: { hosts, relayers } }: Wish): Promise<Network> {
  const { consensus, ...others } = wished;
  // In the order of network.json.
  const plan = { engine: "besu" as const, consensus, chainId: randomInt(CHAIN_IDS.least, CHAIN_IDS.below), ...others };
  const members: NetworkHost[] = [];
  for (const host of hosts) members.push(await memberOf(folder, host));
  const genesis = {
    timestamp: Math.floor(Date.now() / MILLISECONDS),
    validators: members.map(({ validator }) => validator).sort(),
  };
  return { version: 1, plan, genesis: { ...genesis, hash: genesisHash({ plan, genesis }) }, hosts: members, relayers };
}

/** Returns a data centre with its node's key; generates the key if there is none. */
export async function memberOf(folder: Folder, { publicKey, ...host }: HostEntry): Promise<NetworkHost> {
  const identity = publicKey === undefined ? await makeNodeKey(folder, host.name) : identityOf(publicKey);
  return { ...host, ...identity };
}

/** @throws SealbookError `conflict` for a key that differs from the one in network.json */
async function keysThatAreElsewhere(folder: Folder, { hosts }: Network): Promise<string[]> {
  const elsewhere: string[] = [];
  for (const { name, publicKey, validator } of hosts) {
    const path = nodeKeyPath(name);
    if (!existsSync(join(folder.root, path))) elsewhere.push(name);
    else if (identityOfKey(path, (await folder.read(path)) ?? "").publicKey !== publicKey) {
      throw new SealbookError("conflict", `${path} is not the key of ${name}'s validator, ${validator}`);
    } else folder.keep(path);
  }
  return elsewhere;
}

/** Lists the differences between the input and the network, one line each. */
function differencesOf({ plan, hosts }: Network, wish: Wish): string[] {
  const described = (entries: readonly { readonly name: string }[]) =>
    new Map(entries.map((entry) => [entry.name, { ...entry }]));
  const wishedHosts = wish.hosts.hosts.map((host) => ({
    ...host,
    publicKey: host.publicKey ?? hosts.find(({ name }) => name === host.name)?.publicKey,
  }));
  return [
    ...fieldDifferences("", plan, { engine: plan.engine, chainId: plan.chainId, ...wish.plan }),
    ...entryDifferences(described(hosts.map(({ validator: _, ...host }) => host)), described(wishedHosts)),
  ];
}

function entryDifferences(current: ReadonlyMap<string, object>, wished: ReadonlyMap<string, object>): string[] {
  return [...new Set([...current.keys(), ...wished.keys()])].flatMap((name) => {
    const [is, shall] = [current.get(name), wished.get(name)];
    if (is === undefined) return [`${name}: is not in it`];
    return shall === undefined ? [`${name}: is in it, and is wished no more`] : fieldDifferences(`${name}.`, is, shall);
  });
}

function fieldDifferences(prefix: string, current: object, wished: object): string[] {
  const [is, shall] = [
    new Map<string, unknown>(Object.entries(current)),
    new Map<string, unknown>(Object.entries(wished)),
  ];
  return [...new Set([...is.keys(), ...shall.keys()])].flatMap((key) => {
    const [old, now] = [JSON.stringify(is.get(key)), JSON.stringify(shall.get(key))];
    return old === now ? [] : [`${prefix}${key}: is ${old ?? "not set"}, and would be ${now ?? "not set"}`];
  });
}
