import { computeAddress, hexlify, keccak256, recoverAddress, Signature } from "ethers";
import * as z from "zod";
import type { Address } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import type { RelayerKey } from "./relayer-key.ts";
import { HttpEndpoint } from "../rpc/http-endpoint.ts";
import { parseNodeAddress } from "../rpc/connect.ts";
import { type PeerTlsOptions, PeerTlsError, SIGNER } from "../rpc/peer-tls.ts";

const TIMEOUT_MILLISECONDS = 10_000;
const PublicKeys = z.array(z.string().regex(/^0x[0-9a-f]{128}$/i));

/**
 * Creates a key in a Web3Signer, over its HTTP API for Ethereum's execution layer. The signer signs the keccak-256 of a
 * message. A response is accepted only when it is a signature of the address.
 * @throws SealbookError `config_invalid` when it does not have the address's key; `chain_unavailable` when it does not
 * respond
 */
export async function web3SignerKey(
  base: string,
  address: Address,
  tls: PeerTlsOptions = {},
): Promise<RelayerKey & { close(): void }> {
  const { url, headers } = parseNodeAddress(base);
  const at = (path: string): HttpEndpoint =>
    new HttpEndpoint(new URL(`${trimmed(url)}/api/v1/eth1/${path}`), {
      headers,
      tls,
      peer: SIGNER,
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    });
  const signing = at(`sign/${await identifierOf(at("publicKeys"), address)}`);
  return {
    address,
    isLocal: false,
    async sign(message) {
      const { status, body } = await signing
        .send(JSON.stringify({ data: hexlify(message) }))
        .catch((cause: unknown) => {
          throw new SealbookError(
            "chain_unavailable",
            cause instanceof PeerTlsError ? cause.message : "the signer does not respond",
            { cause },
          );
        });
      if (status !== 200) throw new SealbookError("chain_unavailable", `the signer responded with HTTP ${status}`);
      const signature = signatureOf(body.trim());
      if (signature !== undefined && recoverAddress(keccak256(message), signature) === address) return signature;
      throw new SealbookError("chain_unavailable", `the signer's response is not a signature of ${address}`);
    },
    close: () => signing.close(),
  };
}

/** Returns the signer's identifier of the key: the public key. */
async function identifierOf(list: HttpEndpoint, address: Address): Promise<string> {
  let keys: string[];
  try {
    keys = PublicKeys.parse(JSON.parse((await list.send()).body));
  } catch (cause) {
    const reason = cause instanceof PeerTlsError ? `: ${cause.message}` : "";
    throw new SealbookError("chain_unavailable", `the signer at RELAYER_SIGNER_URL does not return its keys${reason}`, {
      cause,
    });
  } finally {
    list.close();
  }
  const identifier = keys.find((key) => computeAddress(`0x04${key.slice(2)}`) === address);
  if (identifier !== undefined) return identifier;
  throw new SealbookError(
    "config_invalid",
    `RELAYER_ADDRESS: the signer at RELAYER_SIGNER_URL has no key of ${address}`,
  );
}

function signatureOf(text: string): Signature | undefined {
  try {
    return Signature.from(text);
  } catch {
    return undefined;
  }
}

function trimmed(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
