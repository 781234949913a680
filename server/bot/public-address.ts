import { BlockList, isIPv6 } from "node:net";

/** Non-public networks and networks that tunnel to others, from IANA's registries of special addresses. */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** Special networks within 2000::/3, the range of all public addresses. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const special4 = listOf(SPECIAL_IPV4, "ipv4");
const special6 = listOf(SPECIAL_IPV6, "ipv6");
const global6 = listOf(["2000::/3"], "ipv6");

/** Whether an IP address is public: not local, private or reserved. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone is local.
  if (address.includes("%")) return false;
  if (!isIPv6(address)) return !special4.check(address, "ipv4");
  // IPv4-mapped addresses are outside of 2000::/3 and therefore not public.
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
