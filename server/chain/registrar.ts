import { type BaseWallet, randomBytes } from "ethers";
import type { Address } from "../domain/ports.ts";
import type { Scope } from "../domain/sessions/session.ts";
import { INTERFACES } from "./contracts.ts";
import { mined } from "./mined.ts";
import type { Rpc } from "./rpc.ts";

const registry = INTERFACES.SessionRegistry;
const SCOPES: Record<Scope, number> = { read: 1, full: 2 };

/** Enrols and revokes accounts with a registrar's key. */
export interface Registrar {
  enroll(account: Address, scope: Scope): Promise<void>;
  revoke(account: Address): Promise<void>;
  setLifetime(lifetime: number, minimumToExtend: number): Promise<void>;
}

/** @param administrator A key that holds the registrar's and the administrator's role */
export function registrar(rpc: Rpc, administrator: BaseWallet, contract: Address, gasPrice: bigint): Registrar {
  const send = async (data: string): Promise<void> => {
    await mined(rpc, administrator, { to: contract, data, gasPrice });
  };
  return {
    enroll: (account, scope) => send(registry.encodeFunctionData("enroll", [account, SCOPES[scope]])),
    revoke: (account) => send(registry.encodeFunctionData("revoke", [account])),
    setLifetime: (lifetime, minimum) => send(registry.encodeFunctionData("setLifetime", [lifetime, minimum])),
  };
}

// No letters or digits that are taken for one another: passwords are copied by hand.
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const PASSWORD_LENGTH = 20;

/** A password of about 116 bits. */
export function generatePassword(): string {
  let password = "";
  while (password.length < PASSWORD_LENGTH) {
    for (const byte of randomBytes(PASSWORD_LENGTH)) {
      // Bytes past the last whole multiple would favour the first letters.
      if (byte < 256 - (256 % ALPHABET.length) && password.length < PASSWORD_LENGTH) {
        password += ALPHABET.charAt(byte % ALPHABET.length);
      }
    }
  }
  return password;
}
