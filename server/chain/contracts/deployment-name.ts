import { z } from "zod";
import type { Deployment } from "./deployment.ts";

const ADDRESS = "0x[0-9a-fA-F]{40}";
const NAME = new RegExp(
  "^chain (?<chainId>\\d+) from block (?<firstBlock>\\d+): " +
    `SessionRegistry (?<SessionRegistry>${ADDRESS}), ` +
    `EventTable (?<EventTable>${ADDRESS}), ` +
    `ProofAnchor (?<ProofAnchor>${ADDRESS})$`,
);

const Fields = z.object({
  chainId: z.coerce.number(),
  firstBlock: z.coerce.number(),
  SessionRegistry: z.string(),
  EventTable: z.string(),
  ProofAnchor: z.string(),
});

/** Returns the name of a journal: the chain and the contracts that it belongs to. */
export function deploymentName({ chainId, firstBlock, contracts }: Deployment): string {
  const { SessionRegistry, EventTable, ProofAnchor } = contracts;
  return (
    `chain ${chainId} from block ${firstBlock}: SessionRegistry ${SessionRegistry}, ` +
    `EventTable ${EventTable}, ProofAnchor ${ProofAnchor}`
  );
}

/** Parses the name of a journal; `undefined` for any other text. */
export function parseDeploymentName(name: string): Deployment | undefined {
  const parts = Fields.safeParse(NAME.exec(name)?.groups);
  if (!parts.success) return undefined;
  const { chainId, firstBlock, ...contracts } = parts.data;
  return { chainId, firstBlock, contracts };
}
