import { holdAdministration } from "./data-folder.ts";
import type { Registrar } from "../chain/contracts/session-registry-client.ts";

/**
 * A registrar that takes its turn: the administrator's nonces are taken from the chain, so that two transactions at the
 * same time, of this process or of a command beside it, would get in each other's way.
 */
export function registrarInTurn(registrar: Registrar, dataDirectory: string): Registrar {
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    const lock = await holdAdministration(dataDirectory);
    try {
      await work();
    } finally {
      lock.release();
    }
  };
  return {
    enroll: (account, scope) => inTurn(() => registrar.enroll(account, scope)),
    revoke: (account) => inTurn(() => registrar.revoke(account)),
  };
}
