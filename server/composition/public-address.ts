import { keys } from "../issuer/api.ts";

/**
 * Addresses at which clients reach the server: `PUBLIC_URL`, else the address of the listener. The latter is known only
 * once the server listens, because `PORT=0` takes any free port; until then addresses are relative.
 */
export class PublicAddress {
  #url: string;
  readonly #configured: boolean;
  readonly #explorerUrl: string | undefined;

  constructor(publicUrl: string | undefined, explorerUrl: string | undefined) {
    this.#url = publicUrl ?? "";
    this.#configured = publicUrl !== undefined;
    this.#explorerUrl = explorerUrl;
  }

  /** Sets the address of the listener. */
  listening(url: string): void {
    if (!this.#configured) this.#url = url;
  }

  get url(): string {
    return this.#url;
  }

  /** Address of the explorer that links lead to. */
  get explorerUrl(): string {
    return this.#explorerUrl ?? `${this.#url}/explorer`;
  }

  /** Address of the issuer's public keys. */
  get jwksUrl(): string {
    return `${this.#url}${keys.path}`;
  }
}
