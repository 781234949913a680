import type { HardhatEthersSigner } from "@nomicfoundation/hardhat-ethers/types";
import { network } from "hardhat";
import { EventTable__factory } from "../../typechain-types/factories/EventTable__factory.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
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
  stranger: HardhatEthersSigner,
];

/** The three contracts as the relayer calls them; `user` is enrolled for everything, `reader` to read. */
export async function deployContracts() {
  const [admin, relayer, user, reader, stranger] = (await ethers.getSigners()) as Signers;
  const registry = await new SessionRegistry__factory(admin).deploy(admin, relayer, LIFETIME, MINIMUM_TO_EXTEND);
  const table = await new EventTable__factory(admin).deploy(registry, admin, relayer);
  const anchors = await new ProofAnchor__factory(admin).deploy(admin, relayer);
  await registry.enroll(user, Scope.Full);
  await registry.enroll(reader, Scope.Read);
  return {
    admin,
    relayer,
    user,
    reader,
    stranger,
    registry: registry.connect(relayer),
    table: table.connect(relayer),
    anchors: anchors.connect(relayer),
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

/** Opens a session of `user`, and answers when it is over. */
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
