import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/types";
import { network } from "hardhat";
import { EventTable__factory } from "../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import type { SessionRegistry } from "../../typechain-types/SessionRegistry.ts";
import { SessionRegistry__factory } from "../../typechain-types/factories/SessionRegistry__factory.ts";

export const { ethers, networkHelpers } = await network.create();
export const { loadFixture, time } = networkHelpers;
export const setCode = networkHelpers.setCode.bind(networkHelpers);

export const ADMIN_DELAY = 86_400n;
export const LIFETIME = 60n;
export const MINIMUM_TO_EXTEND = 15n;
export const Scope = { None: 0n, Read: 1n, Full: 2n, Revoked: 3n } as const;

export const DEFAULT_ADMIN_ROLE = ethers.ZeroHash;
export const REGISTRAR_ROLE = ethers.id("REGISTRAR_ROLE");
export const RELAYER_ROLE = ethers.id("RELAYER_ROLE");

type Signers = [
  admin: HardhatEthersSigner,
  relayer: HardhatEthersSigner,
  user: HardhatEthersSigner,
  reader: HardhatEthersSigner,
  outsider: HardhatEthersSigner,
];

// From the artifacts, for those are what coverage is measured in; the generated types hold code of their own.
async function deploy(name: string, args: unknown[]): Promise<string> {
  return (await ethers.deployContract(name, args)).getAddress();
}

/** A registry as its relayer calls it. */
export async function deployRegistry(
  admin: HardhatEthersSigner,
  relayer: HardhatEthersSigner,
  lifetime: bigint,
  minimumToExtend: bigint,
): Promise<SessionRegistry> {
  const address = await deploy("SessionRegistry", [admin, ADMIN_DELAY, relayer, lifetime, minimumToExtend]);
  return SessionRegistry__factory.connect(address, relayer);
}

/** The three contracts as the relayer calls them; `user` is enrolled for everything, `reader` to read. */
export async function deployContracts() {
  const [admin, relayer, user, reader, outsider] = (await ethers.getSigners()) as Signers;
  const registry = await deployRegistry(admin, relayer, LIFETIME, MINIMUM_TO_EXTEND);
  const table = EventTable__factory.connect(
    await deploy("EventTable", [registry, admin, ADMIN_DELAY, relayer]),
    relayer,
  );
  const anchors = ProofAnchor__factory.connect(await deploy("ProofAnchor", [admin, ADMIN_DELAY, relayer]), relayer);
  await registry.connect(admin).enroll(user, Scope.Full);
  await registry.connect(admin).enroll(reader, Scope.Read);
  return {
    admin,
    relayer,
    user,
    reader,
    outsider,
    registry,
    table,
    anchors,
  };
}

export type Contracts = Awaited<ReturnType<typeof deployContracts>>;

/** A deadline that never passes. */
export const NO_DEADLINE = 2n ** 64n - 1n;

/** `account`'s signature over the opening of a session. */
export async function openingSignature(
  { registry }: Pick<Contracts, "registry">,
  account: HardhatEthersSigner,
  tokenHash: string,
  deadline = NO_DEADLINE,
): Promise<string> {
  return account.signMessage(ethers.getBytes(await registry.openingDigest(account, tokenHash, deadline)));
}

/** Opens a session of `user`. */
export async function openSession(
  contracts: Contracts,
  tokenHash: string,
): Promise<{ session: string; expiresAt: bigint }> {
  const { registry, user } = contracts;
  await registry.open(user, tokenHash, NO_DEADLINE, await openingSignature(contracts, user, tokenHash));
  const session = sessionIdOf(user, tokenHash);
  return { session, expiresAt: (await registry.sessionOf(session)).expiresAt };
}

/** The identifier of a session: account, and the start of the token hash that opened it. */
export function sessionIdOf({ address }: HardhatEthersSigner, tokenHash: string): string {
  return ethers.concat([address, ethers.dataSlice(tokenHash, 0, 12)]);
}

/** A row with its place, as the arguments of `insert` and `set` have it. */
export type PlacedRow = readonly [tabname: string, rowid: bigint | number, rowdata: Uint8Array, comp: boolean];

/** `signer`'s signature over a row of the table. */
export async function rowSignature(
  { table }: Pick<Contracts, "table">,
  signer: HardhatEthersSigner,
  row: PlacedRow,
): Promise<string> {
  return signer.signMessage(ethers.getBytes(await table.signingDigest(...row)));
}

/** Code of a contract that returns one word for every call. */
export function codeReturning(word: string): string {
  // PUSH32 word, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
  return ethers.concat(["0x7f", word, "0x60005260206000f3"]);
}

/** Returns the code of a contract that accepts each signature (ERC-1271), if called with exactly this much gas. */
export function acceptingWithGas(gas: number): string {
  // GAS, PUSH3 gas, EQ, PUSH32 word, MUL, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. GAS itself costs 2.
  return ethers.concat(["0x5a62", ethers.toBeHex(gas - 2, 3), "0x147f", ACCEPTED, "0x0260005260206000f3"]);
}

/** ERC-1271: the word of a contract that accepts a signature. */
export const ACCEPTED = ethers.zeroPadBytes("0x1626ba7e", 32);

/** `length` bytes that do not compress and are the same in every run. */
export function noise(length: number, seed = "noise"): Uint8Array {
  const words = Array.from({ length: Math.ceil(length / 32) }, (_, i) => ethers.id(`${seed} ${i}`));
  return ethers.getBytes(ethers.concat(words)).slice(0, length);
}
