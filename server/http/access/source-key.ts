import { isIPv6 } from "node:net";

/**
 * Returns the key under which the connections and requests of a source are counted: an IPv4 address, or the network of
 * an IPv6 address by /64, which one machine has as a whole.
 */
export function sourceKey(address = ""): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
