import { holdAdministration } from "./data-folder.ts";
import type { Registrar } from "../chain/contracts/session-registry-client.ts";

/**
 * Returns a registrar that locks the administration for each transaction: the administrator's nonces come from the
 * chain, so that two transactions at a time, of this process or of a command, would get the same nonce.
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
