import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SealbookError } from "../server/errors.ts";
import { openAuthority } from "./authority.ts";
import { commandsAt, stepsToAdd, stepsToRemove } from "./besu-steps.ts";
import { composeData } from "./node-services.ts";
import { makeHostCredentials } from "./credentials.ts";
import { derivedFiles } from "./derived-files.ts";
import { Folder, isMissing } from "./folder.ts";
import type { Hosts } from "./hosts-file.ts";
import { memberOf } from "./init.ts";
import { type Network, type NetworkHost, openNetwork } from "./network-file.ts";
import { LEAST_VALIDATORS } from "./plan.ts";
import { type Step, stepsText } from "./steps.ts";

const CHANGES = "changes";

/** A prepared change: the files have their new content, and the nodes have not applied it yet. */
export interface Change {
  readonly folder: Folder;
  /** Path of the steps file, relative to the network's folder. */
  readonly stepsFile: string;
  readonly text: string;
}

/** Prepares to add a data centre of the hosts file as a validator. */
export async function add(directory: string, name: string, hosts: Hosts): Promise<Change> {
  const network = await openNetwork(directory);
  const folder = new Folder(directory);
  const joining = await joiningOf(folder, network, name, hosts);
  const steps = stepsToAdd(network.plan.consensus, network.hosts, joining);
  return prepare(folder, { ...network, hosts: [...network.hosts, joining] }, `add-${name}`, `Add ${name}`, steps);
}

/** Prepares to remove a data centre as a validator. */
export async function remove(directory: string, name: string): Promise<Change> {
  const network = await openNetwork(directory);
  const leaving = leavingOf(network, name);
  const left = network.hosts.length - 1;
  if (left < LEAST_VALIDATORS) {
    throw new SealbookError(
      "conflict",
      `${left} validators would be left, and fewer than ${LEAST_VALIDATORS} cannot bear a fault: replace ` +
        `${name} instead`,
    );
  }
  assertOthers(network, name);
  const steps = stepsToRemove(network.plan.consensus, network.hosts, leaving);
  return prepare(new Folder(directory), without(network, name), `remove-${name}`, `Remove ${name}`, steps, [leaving]);
}

/**
 * Prepares to replace a data centre by another one. The new validator joins first, so that their number never drops.
 */
export async function replace(directory: string, name: string, by: string, hosts: Hosts): Promise<Change> {
  const network = await openNetwork(directory);
  const folder = new Folder(directory);
  const leaving = leavingOf(network, name);
  const relayers = network.relayers.map((relayer) => ({
    ...relayer,
    nodes: [...new Set(relayer.nodes.map((node) => (node === name ? by : node)))],
  }));
  const joining = await joiningOf(folder, network, by, hosts);
  const both = [...network.hosts, joining];
  const steps = [
    ...stepsToAdd(network.plan.consensus, network.hosts, joining, leaving),
    ...stepsToRemove(network.plan.consensus, both, leaving),
  ];
  const next = { ...without(network, name), hosts: both.filter((host) => host.name !== name), relayers };
  return prepare(folder, next, `replace-${name}`, `Replace ${name} by ${by}`, steps, [leaving]);
}

async function prepare(
  folder: Folder,
  network: Network,
  label: string,
  title: string,
  steps: readonly Step[],
  gone: readonly NetworkHost[] = [],
): Promise<Change> {
  const authority = await openAuthority(folder);
  for (const host of network.hosts) await makeHostCredentials(folder, authority, host);
  for (const host of network.hosts) await folder.addDirectory(composeData(host));
  const stem = `${CHANGES}/${(await changesUntilNow(folder)) + 1}-${label}`;
  const all = [...steps, relayerStep(network)];
  const text = stepsText(title, [...network.hosts, ...gone], all, commandsAt);
  await folder.write(`${stem}.json`, `${JSON.stringify(all, null, 2)}\n`);
  await folder.write(`${stem}.md`, text);
  // network.json is written last: before that, the change does not exist.
  const [networkFile, ...others] = derivedFiles(network);
  for (const file of others) await folder.update(file);
  if (networkFile !== undefined) await folder.update(networkFile);
  return { folder, stepsFile: `${stem}.md`, text };
}

async function joiningOf(folder: Folder, network: Network, name: string, { hosts }: Hosts): Promise<NetworkHost> {
  if (network.hosts.some((host) => host.name === name))
    throw new SealbookError("conflict", `${name} is in the network already`);
  const entry = hosts.find((host) => host.name === name);
  if (entry === undefined) throw new SealbookError("not_found", `the hosts file has no ${name}`);
  const joining = await memberOf(folder, entry);
  const twin = network.hosts.find(({ validator }) => validator === joining.validator);
  if (twin !== undefined)
    throw new SealbookError("conflict", `${name} has the key of ${twin.name}: each validator has its own`);
  return joining;
}

function leavingOf({ hosts }: Network, name: string): NetworkHost {
  const leaving = hosts.find((host) => host.name === name);
  if (leaving === undefined) throw new SealbookError("not_found", `the network has no ${name}`);
  return leaving;
}

function assertOthers({ relayers }: Network, name: string): void {
  const users = relayers.filter(({ nodes }) => nodes.every((node) => node === name));
  if (users.length === 0) return;
  throw new SealbookError(
    "conflict",
    `${users.map((relayer) => relayer.name).join(", ")} has no other node than that of ${name}: give it one in the ` +
      "hosts file and run init, or replace the data centre instead",
  );
}

/** Returns the network without a data centre, also in the nodes of the relayers. */
function without(network: Network, name: string): Network {
  return {
    ...network,
    hosts: network.hosts.filter((host) => host.name !== name),
    relayers: network.relayers.map((relayer) => ({
      ...relayer,
      nodes: relayer.nodes.filter((node) => node !== name),
    })),
  };
}

function relayerStep({ relayers }: Network): Step {
  return {
    what:
      "Copy the new relayer.env and nodes.json of the folder into /etc/sealbook, with the settings of the relayer's " +
      "key as before, and restart the server.",
    at: relayers.map(({ name }) => name),
    requests: [],
  };
}

async function changesUntilNow(folder: Folder): Promise<number> {
  const names = await readdir(join(folder.root, CHANGES)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names.filter((file) => file.endsWith(".json")).length;
}
