import type { NetworkHost } from "./network-file.ts";

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

/** Returns a call to a node. */
export const request = (method: string, ...params: unknown[]): RpcRequest => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params,
});
export const namesOf = (hosts: readonly NetworkHost[]): string[] => hosts.map(({ name }) => name);

/** Returns the number of validators that must vote for a change. */
export function majorityOf(validators: number): number {
  return Math.floor(validators / 2) + 1;
}

/** Formats the steps for operators, with commands to run in the data centre's own folder. */
export function stepsText(
  title: string,
  hosts: readonly NetworkHost[],
  steps: readonly Step[],
  commandsAt: (host: NetworkHost, step: Step) => string[],
): string {
  const lines = steps.flatMap((step, index) => {
    const commands = hosts
      .filter(({ name }) => step.at.includes(name))
      .flatMap((host) => {
        const own = commandsAt(host, step);
        return own.length === 0 ? [] : [`# ${host.name}`, ...own];
      });
    return [
      `## ${index + 1}. At ${step.at.join(", ")}`,
      "",
      step.what,
      "",
      ...(commands.length === 0 ? [] : ["```sh", ...commands, "```", ""]),
    ];
  });
  return [
    `# ${title}`,
    "",
    "Transfer each data centre the new files of its folder first, to a new one the whole folder. Each runs its " +
      "commands in its own folder on its machine. All complete a step before the next one.",
    "",
    ...lines,
    "At the end `npx sealbook network check --out DIR` finds no difference between the nodes and these files.",
    "",
  ].join("\n");
}
