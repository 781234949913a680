import { concat, keccak256 } from "ethers";
import * as z from "zod";
import { EventTable__factory } from "../../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../../typechain-types/factories/ProofAnchor__factory.ts";
import { SessionRegistry__factory } from "../../../typechain-types/factories/SessionRegistry__factory.ts";
import { Code, query } from "../rpc/query.ts";
import type { Rpc } from "../rpc/rpc.ts";
import type { Address, ContractName } from "../transaction.ts";
import { INTERFACES } from "./interfaces.ts";

const CREATION_CODE = {
  SessionRegistry: SessionRegistry__factory.bytecode,
  EventTable: EventTable__factory.bytecode,
  ProofAnchor: ProofAnchor__factory.bytecode,
} as const;

/** The compiler's version in the CBOR data at the end of the code: three bytes behind the key `solc`. */
const COMPILER = /64736f6c6343([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{4}$/;

/** Arguments of a contract's constructor, in its order. */
export type ConstructorArguments = readonly (string | number | bigint)[];

/** Where a contract comes from: what somebody needs who verifies it. */
export const DeployedContract = z.object({
  /** Hash of the transaction that deployed it. */
  transaction: z.string(),
  /** Number of that transaction's block. */
  block: z.number().int(),
  /** In decimal or `0x` hex; the order is that of the constructor. */
  constructorArguments: z.array(z.string()),
  /** Version of the compiler; unset for code that does not contain it. */
  compiler: z.string().optional(),
  /** keccak-256 of the code at the contract's address, the `codehash` of Solidity. */
  bytecodeHash: z.string(),
});
export type DeployedContract = z.output<typeof DeployedContract>;

/** Returns the data of the transaction that deploys a contract. */
export function creationData(name: ContractName, constructorArguments: ConstructorArguments): string {
  return concat([CREATION_CODE[name], INTERFACES[name].encodeDeploy(constructorArguments)]);
}

/** Returns the constructor arguments in the data of a deployment; `undefined` for data of another build. */
export function constructorArgumentsOf(name: ContractName, data: string): string[] | undefined {
  const code = CREATION_CODE[name];
  if (!data.startsWith(code)) return undefined;
  const { inputs } = INTERFACES[name].deploy;
  return INTERFACES[name]
    .getAbiCoder()
    .decode(inputs, `0x${data.slice(code.length)}`)
    .map(String);
}

/** Fetches a contract's code, as `0x` hex; `0x` when there is none. */
export function fetchCode(rpc: Pick<Rpc, "call">, address: Address, block = "latest"): Promise<string> {
  return query(rpc, Code, "eth_getCode", [address, block]);
}

/** Describes the code of a deployed contract. */
export function describeCode(code: string): Pick<DeployedContract, "compiler" | "bytecodeHash"> {
  const version = COMPILER.exec(code)?.slice(1);
  const compiler = version?.map((digits) => Number.parseInt(digits, 16)).join(".");
  return { ...(compiler === undefined ? {} : { compiler }), bytecodeHash: keccak256(code) };
}
