import { BlockList, isIP } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** A list of networks in CIDR notation; a single address is a network of one. */
export class NetworkList {
  readonly #list = new BlockList();

  /** @param networks Texts that {@link isNetwork} accepts */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const { address, family, prefix } = partsOf(network);
      this.#list.addSubnet(address, prefix, family);
    }
  }

  has(address: string): boolean {
    const plain = MAPPED.exec(address)?.[1] ?? address;
    const family = familyOf(plain);
    return family !== undefined && this.#list.check(plain, family);
  }
}

/** Returns whether a host, as in addresses of the web, is this machine. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);
}

/** Whether a text is an address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = familyOf(address);
  if (family === undefined || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(family));
}

function partsOf(network: string): { address: string; family: "ipv4" | "ipv6"; prefix: number } {
  const [address = "", prefix] = network.split("/");
  const family = familyOf(address);
  if (family === undefined) throw new TypeError(`${network} is not a network`);
  return { address, family, prefix: prefix === undefined ? bitsOf(family) : Number(prefix) };
}

function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6";
}

function bitsOf(family: "ipv4" | "ipv6"): number {
  return family === "ipv4" ? 32 : 128;
}
