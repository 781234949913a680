import { keccak256 } from "ethers";
import { createKeccak } from "hash-wasm";

/**
 * Makes ethers hash with WebAssembly: 2 instead of 33 microseconds for 64 bytes, 7 instead of 183 for 1 KiB. Calls,
 * topics, addresses, messages and transactions are all hashed.
 */
export async function useFastKeccak(): Promise<void> {
  const hasher = await createKeccak(256);
  keccak256.register((data) => hasher.init().update(data).digest("binary"));
}
