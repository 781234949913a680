import { z } from "zod";
import type { Deployment } from "./deployment.ts";

const NAME =
  /^chain (?<chainId>\d+) from block (?<firstBlock>\d+): SessionRegistry (?<SessionRegistry>0x[0-9a-fA-F]{40}), EventTable (?<EventTable>0x[0-9a-fA-F]{40}), ProofAnchor (?<ProofAnchor>0x[0-9a-fA-F]{40})$/;

const Parts = z.object({
  chainId: z.coerce.number(),
  firstBlock: z.coerce.number(),
  SessionRegistry: z.string(),
  EventTable: z.string(),
  ProofAnchor: z.string(),
});

/** What a journal is called by: the chain and the contracts that it belongs to, and that it can be found by again. */
export function deploymentName({ chainId, firstBlock, contracts }: Deployment): string {
  const { SessionRegistry, EventTable, ProofAnchor } = contracts;
  return (
    `chain ${chainId} from block ${firstBlock}: SessionRegistry ${SessionRegistry}, EventTable ` +
    `${EventTable}, ProofAnchor ${ProofAnchor}`
  );
}

/** The deployment that a name tells of; `undefined` for a text that is none. */
export function parseDeploymentName(name: string): Deployment | undefined {
  const parts = Parts.safeParse(NAME.exec(name)?.groups);
  if (!parts.success) return undefined;
  const { chainId, firstBlock, ...contracts } = parts.data;
  return { chainId, firstBlock, contracts };
}
