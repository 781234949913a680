import { join } from "node:path";
import { parseHosts } from "../../network/hosts-file.ts";
import { init, type Made, type Wish } from "../../network/init.ts";
import type { Plan } from "../../network/network-file.ts";

/** Six data centres on addresses of one machine. */
export const HOSTS_YAML = `hosts:
  - { name: dc-1, address: 127.0.1.1, dns: [besu.dc-1.example] }
  - { name: dc-2, address: 127.0.1.2 }
  - { name: dc-3, address: 127.0.1.3 }
  - { name: dc-4, address: 127.0.1.4 }
  - { name: dc-5, address: 127.0.1.5 }
  - { name: customer, address: 127.0.1.6 }
`;

export const PLAN: Plan = {
  engine: "besu",
  consensus: "ibft2",
  chainId: 7_330,
  blockPeriodSeconds: 5,
  requestTimeoutSeconds: 10,
  gasLimit: 65_000_000,
};

/** A wish that a test changes something of. */
export function wish(plan: Partial<Plan> = {}, yaml = HOSTS_YAML): Wish {
  return { plan: { ...PLAN, ...plan }, hosts: parseHosts(yaml, "hosts.yaml") };
}

/** Makes a network in a folder of its own. */
export function makeNetwork(directory: string, plan: Partial<Plan> = {}, yaml = HOSTS_YAML): Promise<Made> {
  return init(join(directory, "network"), wish(plan, yaml));
}
