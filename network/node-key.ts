import { computeAddress, hexlify, randomBytes, SigningKey } from "ethers";
import { SealbookError } from "../server/errors.ts";
import type { Folder } from "./folder.ts";
import type { NetworkHost } from "./network-file.ts";

/** The public part of a node's key. */
export interface NodeIdentity {
  /** The two coordinates of the point, in the format of enode addresses. */
  readonly publicKey: string;
  readonly validator: string;
}

/** Returns the path of a data centre's node key, relative to the network's folder. */
export function nodeKeyPath(host: string): string {
  return `${host}/besu/key`;
}

/** @param publicKey `0x` hex of the two coordinates */
export function identityOf(publicKey: string): NodeIdentity {
  return { publicKey, validator: computeAddress(`0x04${publicKey.slice(2)}`).toLowerCase() };
}

/**
 * Derives the identity from the key in a file.
 * @throws SealbookError `malformed` when the file contains no key; the message never contains the content
 */
export function identityOfKey(path: string, text: string): NodeIdentity {
  const [, key] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (key === undefined)
    throw new SealbookError("malformed", `${path} holds no node key: 0x and 64 hexadecimal digits`);
  return identityOf(`0x${new SigningKey(`0x${key}`).publicKey.slice(4)}`);
}

/** Generates a node's key unless it exists. */
export async function makeNodeKey(folder: Folder, host: string): Promise<NodeIdentity> {
  const path = nodeKeyPath(host);
  const current = await folder.read(path);
  if (current !== undefined) return identityOfKey(path, current);
  const key = hexlify(randomBytes(32));
  await folder.write(path, `${key}\n`, { secret: true });
  return identityOfKey(path, key);
}

/** Formats the enode address of a node. */
export function enodeOf({ publicKey, p2pPort }: NetworkHost, address: string): string {
  return `enode://${publicKey.slice(2)}@${address}:${p2pPort}`;
}
