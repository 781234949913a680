import { readFileSync } from "node:fs";
import { computeAddress } from "ethers";
import { z } from "zod";
import { SealbookError } from "../../errors.ts";

/** A node of the network, by its enode URL. */
export interface Enode {
  /** Public key, 128 hexadecimal digits in lower case. */
  readonly id: string;
  /** The address of the key, lower-case; a validator's own address. */
  readonly address: string;
  /** Host and port of the peer-to-peer protocol. */
  readonly endpoint: string;
}

const ENODE = /^enode:\/\/([0-9a-fA-F]{128})@([^/?#]+)(?:[?#].*)?$/;
const Enodes = z.array(z.string());

/** Parses an enode URL; `undefined` for any other text. */
export function parseEnode(url: string): Enode | undefined {
  const [, key, endpoint] = ENODE.exec(url) ?? [];
  if (key === undefined || endpoint === undefined) return undefined;
  const id = key.toLowerCase();
  const address = addressOf(id);
  return address === undefined ? undefined : { id, address, endpoint };
}

/** @returns `undefined` when the digits are no point of the curve */
function addressOf(id: string): string | undefined {
  try {
    return computeAddress(`0x04${id}`).toLowerCase();
  } catch {
    return undefined;
  }
}

/**
 * Reads the nodes of a network from a file in the format of `static-nodes.json`.
 * @throws SealbookError `config_invalid`
 */
export function readNodeList(path: string): readonly Enode[] {
  return parsed(path).map((url) => {
    const enode = parseEnode(url);
    if (enode === undefined)
      throw new SealbookError("config_invalid", `NODE_LIST_FILE: ${path} has "${url}", which is not an enode URL`);
    return enode;
  });
}

function parsed(path: string): readonly string[] {
  try {
    return Enodes.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    throw new SealbookError("config_invalid", `NODE_LIST_FILE: ${path} is not a JSON list of enode URLs`, { cause });
  }
}
