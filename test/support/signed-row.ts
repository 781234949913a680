import { getBytes, type Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { rpcCall } from "./rpc.ts";

/** A row with its place, as the arguments of `insert` and `set` have it. */
export type PlacedRow = readonly [tabname: string, rowid: bigint, rowdata: Uint8Array, comp: boolean];

/** Signs a row for its place in an event table, which returns the digest to sign. */
export async function signRowFor(chainUrl: string, contract: string, signer: Wallet, row: PlacedRow): Promise<string> {
  const data = INTERFACES.EventTable.encodeFunctionData("signingDigest", [...row]);
  const digest = await rpcCall(chainUrl, "eth_call", { to: contract, data }, "latest");
  return signer.signMessage(getBytes(String(digest)));
}
