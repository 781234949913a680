import { AbiCoder, getBytes, hashMessage, keccak256 } from "ethers";
import type { SessionChain } from "./session-registry.ts";
import type { Address } from "../transaction.ts";
import { contractCall, INTERFACES, readContract } from "./interfaces.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { signDigest } from "../keys/sign-digest.ts";

const registry = INTERFACES.SessionRegistry;

/** The session registry contract at `address`. */
export function sessionChain(rpc: Rpc, address: Address): SessionChain {
  return {
    async rules() {
      const [lifetime, minimum] = await Promise.all([
        readContract(rpc, address, registry.encodeFunctionData("lifetime")),
        readContract(rpc, address, registry.encodeFunctionData("minimumToExtend")),
      ]);
      return {
        lifetime: Number(registry.decodeFunctionResult("lifetime", lifetime)[0]),
        minimumToExtend: Number(registry.decodeFunctionResult("minimumToExtend", minimum)[0]),
      };
    },

    async sessionOf(tokenHash) {
      const result = await readContract(rpc, address, registry.encodeFunctionData("sessionOf", [tokenHash]));
      const [session] = registry.decodeFunctionResult("sessionOf", result);
      const expiresAt = Number(session.expiresAt);
      return expiresAt === 0
        ? undefined
        : { expiresAt, validated: Boolean(session.validated), ended: Boolean(session.ended) };
    },

    openCall(account, tokenHash, signingKey) {
      const digest = openingDigest(rpc.chainId, address, account, tokenHash);
      const signature = signDigest(hashMessage(digest), signingKey).serialized;
      return contractCall(
        "session_open",
        "SessionRegistry",
        registry.encodeFunctionData("open", [account, tokenHash, signature]),
      );
    },

    validateCall: (tokenHash, newTokenHash) =>
      contractCall(
        "session_validate",
        "SessionRegistry",
        registry.encodeFunctionData("validate", [tokenHash, newTokenHash]),
      ),

    extendCall: (tokenHash, newTokenHash) =>
      contractCall(
        "session_extend",
        "SessionRegistry",
        registry.encodeFunctionData("extend", [tokenHash, newTokenHash]),
      ),

    closeCall: (tokenHash) =>
      contractCall("session_close", "SessionRegistry", registry.encodeFunctionData("close", [tokenHash])),
  };
}

/** What an account signs to open a session; the contract computes the same. */
function openingDigest(chainId: number, registryAddress: Address, account: Address, tokenHash: Uint8Array): Uint8Array {
  const encoded = AbiCoder.defaultAbiCoder().encode(
    ["uint256", "address", "address", "bytes32"],
    [chainId, registryAddress, account, tokenHash],
  );
  return getBytes(keccak256(encoded));
}
