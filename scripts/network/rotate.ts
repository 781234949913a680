import { SealbookError } from "../../server/errors.ts";
import { openAuthority } from "./authority.ts";
import { makeHostCredentials, makeRelayerCredentials } from "./credentials.ts";
import { Folder } from "./folder.ts";
import { openNetwork } from "./network-file.ts";

/**
 * Issues the certificates and tokens of data centres and relayers anew; keys of nodes stay.
 * @param names of everybody when there are none
 */
export async function rotate(directory: string, names: readonly string[]): Promise<Folder> {
  const { hosts, relayers } = await openNetwork(directory);
  const known = [...hosts, ...relayers].map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new SealbookError("not_found", `the network has no ${unknown.join(", ")}; it has ${known.join(", ")}`);
  const isMeant = ({ name }: { readonly name: string }): boolean => names.length === 0 || names.includes(name);
  const folder = new Folder(directory);
  const authority = await openAuthority(folder);
  for (const host of hosts.filter(isMeant)) await makeHostCredentials(folder, authority, host, true);
  for (const { name } of relayers.filter(isMeant)) await makeRelayerCredentials(folder, authority, name, true);
  return folder;
}
