import { consensusApi } from "./besu-config.ts";
import type { Network, NetworkHost } from "./network-file.ts";
import { enodeOf } from "./node-key.ts";

/** A JSON-RPC call to a node. */
export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: 1;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A step, to be completed before the next one. */
export interface Step {
  readonly what: string;
  /** The data centres that execute it. */
  readonly at: readonly string[];
  /** Requests of each data centre to its own node, in order. */
  readonly requests: readonly RpcRequest[];
  /** Whether the node restarts with the new lists of its folder before the requests. */
  readonly restarts?: true;
}

const request = (method: string, ...params: unknown[]): RpcRequest => ({ jsonrpc: "2.0", id: 1, method, params });
const namesOf = (hosts: readonly NetworkHost[]): string[] => hosts.map(({ name }) => name);

/** Returns the number of validators that must vote for a change. */
export function majorityOf(validators: number): number {
  return Math.floor(validators / 2) + 1;
}

/**
 * @param validators The validators before the change
 * @param lost A validator that no longer responds to requests
 */
export function stepsToAdd(
  consensus: Network["plan"]["consensus"],
  validators: readonly NetworkHost[],
  joining: NetworkHost,
  lost?: NetworkHost,
): Step[] {
  const prefix = consensusApi(consensus).toLowerCase();
  const enode = enodeOf(joining, joining.address);
  const voters = namesOf(validators.filter(({ name }) => name !== lost?.name));
  return [
    {
      what: `Let ${joining.name} connect, and copy the new lists of your folder into /etc/besu, for the next start.`,
      at: voters,
      requests: [request("perm_addNodesToAllowlist", [enode]), request("admin_addPeer", enode)],
    },
    {
      what:
        `Install ${joining.name} and start its node. Continue when eth_blockNumber returns the same there as here: a ` +
        "validator that lags does not count towards the quorum.",
      at: [joining.name],
      requests: [request("eth_blockNumber")],
    },
    {
      what:
        `Vote for ${joining.name}. It takes ${majorityOf(validators.length)} of ${validators.length}; it is a ` +
        "validator some blocks after the last of them.",
      at: voters,
      requests: [request(`${prefix}_proposeValidatorVote`, joining.validator, true)],
    },
    {
      what: `When ${prefix}_getValidatorsByBlockNumber has ${joining.validator}, take the vote back: it is counted.`,
      at: voters,
      requests: [request(`${prefix}_discardValidatorVote`, joining.validator)],
    },
  ];
}

/**
 * A node of Besu refuses to take a static node off its allow-list while it runs, and connects to it again after
 * `admin_removePeer`. Therefore the nodes restart with new lists, one after the other.
 * @param validators The validators before the change
 */
export function stepsToRemove(
  consensus: Network["plan"]["consensus"],
  validators: readonly NetworkHost[],
  leaving: NetworkHost,
): Step[] {
  const prefix = consensusApi(consensus).toLowerCase();
  const staying = validators.filter(({ name }) => name !== leaving.name);
  return [
    {
      what:
        `Vote against ${leaving.name}. It takes ${majorityOf(validators.length)} of ${validators.length}, ` +
        "whether or not it is running.",
      at: namesOf(staying),
      requests: [request(`${prefix}_proposeValidatorVote`, leaving.validator, false)],
    },
    {
      what:
        `When ${prefix}_getValidatorsByBlockNumber has ${leaving.validator} no more, take the vote back: it is ` +
        "counted.",
      at: namesOf(staying),
      requests: [request(`${prefix}_discardValidatorVote`, leaving.validator)],
    },
    { what: `Stop the node of ${leaving.name}, if it runs, and destroy its key.`, at: [leaving.name], requests: [] },
    ...staying.map(({ name }): Step => ({
      what:
        `Copy the new lists of the folder into /etc/besu and restart the node, while all others run. Continue when ` +
        `eth_blockNumber returns the same as elsewhere, and admin_peers does not have ${leaving.name}.`,
      at: [name],
      requests: [request("eth_blockNumber"), request("admin_peers")],
      restarts: true,
    })),
  ];
}

/** Formats the steps for operators, with commands to run in the data centre's own folder. */
export function stepsText(title: string, hosts: readonly NetworkHost[], steps: readonly Step[]): string {
  const lines = steps.flatMap(({ what, at, requests }, index) => [
    `## ${index + 1}. At ${at.join(", ")}`,
    "",
    what,
    "",
    ...(requests.length === 0 ? [] : ["```sh", ...at.flatMap((name) => commandsAt(hosts, name, requests)), "```", ""]),
  ]);
  return [
    `# ${title}`,
    "",
    "Each data centre runs its commands in its own folder, one step after the other.",
    "",
    ...lines,
    "At the end `npm run network -- check --out DIR` finds no difference between the nodes and these files.",
    "",
  ].join("\n");
}

function commandsAt(hosts: readonly NetworkHost[], name: string, requests: readonly RpcRequest[]): string[] {
  const host = hosts.find((entry) => entry.name === name);
  if (host === undefined) return [];
  const client =
    "--cert operator/client.pem --key operator/client.key --cacert operator/ca.pem -H @operator/authorization";
  return [
    `# ${name}`,
    ...requests.map(
      (body) =>
        `curl ${client} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ` +
        `https://${host.address}:${host.rpcPort}`,
    ),
  ];
}
