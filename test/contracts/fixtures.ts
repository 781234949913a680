import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/types";
import { network } from "hardhat";
import { EventTable__factory } from "../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import type { SessionRegistry } from "../../typechain-types/SessionRegistry.ts";
import { SessionRegistry__factory } from "../../typechain-types/factories/SessionRegistry__factory.ts";

export const { ethers, networkHelpers } = await network.create();
export const { loadFixture, time } = networkHelpers;

export const LIFETIME = 60n;
export const MINIMUM_TO_EXTEND = 15n;
export const Scope = { None: 0n, Read: 1n, Full: 2n } as const;

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
  const address = await deploy("SessionRegistry", [admin, relayer, lifetime, minimumToExtend]);
  return SessionRegistry__factory.connect(address, relayer);
}

/** The three contracts as the relayer calls them; `user` is enrolled for everything, `reader` to read. */
export async function deployContracts() {
  const [admin, relayer, user, reader, outsider] = (await ethers.getSigners()) as Signers;
  const registry = await deployRegistry(admin, relayer, LIFETIME, MINIMUM_TO_EXTEND);
  const table = EventTable__factory.connect(await deploy("EventTable", [registry, admin, relayer]), relayer);
  const anchors = ProofAnchor__factory.connect(await deploy("ProofAnchor", [admin, relayer]), relayer);
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

/** `account`'s signature over the opening of a session. */
export async function openingSignature(
  { registry }: Contracts,
  account: HardhatEthersSigner,
  tokenHash: string,
): Promise<string> {
  return account.signMessage(ethers.getBytes(await registry.openingDigest(account, tokenHash)));
}

/** Opens a session of `user` and returns its expiry. */
export async function openSession(contracts: Contracts, tokenHash: string): Promise<bigint> {
  const { registry, user } = contracts;
  await registry.open(user, tokenHash, await openingSignature(contracts, user, tokenHash));
  return (await registry.sessionOf(tokenHash)).expiresAt;
}

/** `length` bytes that do not compress and are the same in every run. */
export function noise(length: number, seed = "noise"): Uint8Array {
  const words = Array.from({ length: Math.ceil(length / 32) }, (_, i) => ethers.id(`${seed} ${i}`));
  return ethers.getBytes(ethers.concat(words)).slice(0, length);
}
