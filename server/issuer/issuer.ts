import type { IssuerKeys } from "./issuer-keys.ts";
import { isSignedText, type JwsType, signedText } from "./jws.ts";
import type { SigningKey } from "./signing-key.ts";

/** Signs in the name of this installation, and nothing while a divergence of the journal's history is open. */
export class Issuer {
  readonly #keys: Pick<IssuerKeys, "signingKey" | "list">;
  readonly #assertIntact: () => void;

  /** @param assertIntact Throws SealbookError `journal_damaged` while a divergence is open */
  constructor(keys: Pick<IssuerKeys, "signingKey" | "list">, assertIntact: () => void) {
    this.#keys = keys;
    this.#assertIntact = assertIntact;
  }

  /** Returns the current key, which can change at run time: fetch it for each document. */
  async signingKey(): Promise<SigningKey> {
    const { publicKey, sign } = await this.#keys.signingKey();
    return {
      publicKey,
      sign: (message) => {
        this.#assertIntact();
        return sign(message);
      },
    };
  }

  /** Signs a text with the current key. */
  async sign(text: string, typ: JwsType): Promise<string> {
    return signedText(text, await this.signingKey(), typ);
  }

  /** Whether one of the keys, current or retired, has signed the text. */
  async hasSigned(jws: string, text: string, typ: JwsType): Promise<boolean> {
    return isSignedText(jws, text, { publicKeys: await this.publicKeys(), typ });
  }

  /** Returns all current and retired keys, the newest first. */
  async publicKeys(): Promise<readonly Uint8Array[]> {
    return (await this.#keys.list()).map(({ publicKey }) => publicKey);
  }
}
