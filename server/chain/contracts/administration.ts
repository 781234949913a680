import type { BaseWallet } from "ethers";
import type { Registrar } from "./session-registry.ts";
import type { Address } from "../transaction.ts";
import type { Scope } from "./session-registry.ts";
import { INTERFACES } from "./interfaces.ts";
import { mined } from "../transactions/mined.ts";
import type { Rpc } from "../rpc/rpc.ts";

const registry = INTERFACES.SessionRegistry;
const SCOPES: Record<Scope, number> = { read: 1, full: 2 };

/** A {@link Registrar} that may also change the rules. */
export interface Administration extends Registrar {
  /** Both in seconds; for sessions opened or extended from then on. */
  setLifetime(lifetime: number, minimumToExtend: number): Promise<void>;
}

/** @param administrator A key that holds the registrar's and the administrator's role */
export function administration(
  rpc: Rpc,
  administrator: BaseWallet,
  contract: Address,
  gasPrice: bigint,
): Administration {
  const send = async (data: string): Promise<void> => {
    await mined(rpc, administrator, { to: contract, data, gasPrice });
  };
  return {
    enroll: (account, scope) => send(registry.encodeFunctionData("enroll", [account, SCOPES[scope]])),
    revoke: (account) => send(registry.encodeFunctionData("revoke", [account])),
    setLifetime: (lifetime, minimum) => send(registry.encodeFunctionData("setLifetime", [lifetime, minimum])),
  };
}
