import { SealbookError } from "../server/errors.ts";
import { AUTHORITY_CERTIFICATE, isIssuedBy, openAuthority, succeed } from "./authority.ts";
import { certificatePaths, makeHostCredentials, makeRelayerCredentials, writeTrust } from "./credentials.ts";
import { Folder } from "./folder.ts";
import { openNetwork } from "./network-file.ts";

/**
 * Reissues the certificates and tokens of data centres and relayers; keeps the keys of nodes.
 * @param names Data centres and relayers; all when empty
 */
export async function rotate(directory: string, names: readonly string[]): Promise<Folder> {
  const { hosts, relayers } = await openNetwork(directory);
  const known = [...hosts, ...relayers].map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new SealbookError("not_found", `the network has no ${unknown.join(", ")}; it has ${known.join(", ")}`);
  const isMeant = ({ name }: { readonly name: string }): boolean => names.length === 0 || names.includes(name);
  const folder = new Folder(directory);
  const authority = await openAuthority(folder);
  for (const host of hosts.filter(isMeant)) await makeHostCredentials(folder, authority, host, true);
  for (const { name } of relayers.filter(isMeant)) await makeRelayerCredentials(folder, authority, name, true);
  return folder;
}

/**
 * Creates a new authority, trusted by all members beside the old one; their certificates stay until they are rotated.
 */
export async function rotateAuthority(directory: string): Promise<Folder> {
  const network = await openNetwork(directory);
  const folder = new Folder(directory);
  const { trusted } = await openAuthority(folder);
  await writeTrust(folder, await succeed(folder, trusted), network);
  return folder;
}

/**
 * Removes trust in all authorities except the newest.
 * @throws SealbookError `conflict` while certificates of an older one are in use
 */
export async function dropOldAuthorities(directory: string): Promise<Folder> {
  const network = await openNetwork(directory);
  const folder = new Folder(directory);
  const authority = await openAuthority(folder);
  const trusted = firstOf(authority.trusted);
  const older: string[] = [];
  for (const path of certificatePaths(network)) {
    const certificate = await folder.read(path);
    if (certificate !== undefined && !isIssuedBy(certificate, trusted)) older.push(path);
  }
  if (older.length > 0)
    throw new SealbookError(
      "conflict",
      `certificates of an older authority are in use: ${older.join(", ")}; rotate them first`,
    );
  await folder.write(AUTHORITY_CERTIFICATE, trusted);
  await writeTrust(folder, { ...authority, trusted }, network);
  return folder;
}

function firstOf(trusted: string): string {
  const end = "-----END CERTIFICATE-----\n";
  return trusted.slice(0, trusted.indexOf(end) + end.length);
}
