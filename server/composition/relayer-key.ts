import { ownKey, type RelayerKey } from "../chain/keys/relayer-key.ts";
import { openKeystore } from "../chain/keys/keystore.ts";
import { peerTlsOptions, SIGNER } from "../chain/rpc/peer-tls.ts";
import { web3SignerKey } from "../chain/keys/web3-signer.ts";
import type { RelayerSource } from "../config/credentials.ts";

/** A relayer's key that signs until it is closed. */
export type OpenedKey = RelayerKey & { close?(): void };

/**
 * Opens a relayer's key.
 * @throws SealbookError when it does not exist or cannot be used
 */
export async function openRelayerKey(source: RelayerSource): Promise<OpenedKey> {
  switch (source.kind) {
    case "environment":
      return ownKey(source.key);
    case "keystore":
      return openKeystore(source);
    case "signer":
      return web3SignerKey(source.url, source.address, peerTlsOptions(source.tls, SIGNER));
  }
}
