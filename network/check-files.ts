import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { AUTHORITY_CERTIFICATE, AUTHORITY_KEY, daysLeft, isCertificate, isIssuedBy } from "./authority.ts";
import { certificatePaths, CLIENT_FILES, relayerFolder, secretsOf } from "./credentials.ts";
import { derivedFiles } from "./derived-files.ts";
import { Folder, isMissing } from "./folder.ts";
import type { Network } from "./network-file.ts";
import { identityOfKey, nodeKeyPath } from "./node-key.ts";

/** A deviation from network.json. */
export interface Finding {
  /** A file relative to the network's folder, or a data centre. */
  readonly where: string;
  readonly what: string;
}

/** Remaining validity in days below which a certificate must be rotated. */
const ROTATE_DAYS = 30;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Checks the files against network.json. Skips folders of data centres that are stored elsewhere. */
export async function checkFiles(directory: string, network: Network, now: number): Promise<Finding[]> {
  const folder = new Folder(directory);
  const isHere = (path: string): boolean => existsSync(join(directory, path.split("/", 1)[0] ?? ""));
  const findings: Finding[] = [];
  for (const { path, content } of derivedFiles(network).filter((file) => isHere(file.path))) {
    const current = await folder.read(path);
    if (current === undefined) findings.push({ where: path, what: "is missing: init writes it again" });
    else if (current !== content) findings.push({ where: path, what: "is not what it should be by network.json" });
  }
  for (const { name, publicKey, validator } of network.hosts) {
    const path = nodeKeyPath(name);
    const key = await folder.read(path);
    if (key !== undefined && identityOfKey(path, key).publicKey !== publicKey) {
      findings.push({ where: path, what: `is not the key of ${name}'s validator, ${validator}` });
    }
  }
  const secrets = [
    ...network.hosts.flatMap(({ name }) => secretsOf(name)),
    ...network.relayers.map(({ name }) => `${relayerFolder(name)}/${CLIENT_FILES.key}`),
  ];
  const nodeKeys = network.hosts.map(({ name }) => nodeKeyPath(name));
  // Node keys can be stored elsewhere.
  for (const path of [...secrets, ...certificatePaths(network)].filter((each) => !nodeKeys.includes(each)))
    if (isHere(path) && !existsSync(join(directory, path)))
      findings.push({ where: path, what: "is missing: init writes another one" });
  for (const path of [AUTHORITY_KEY, ...secrets]) findings.push(...(await readersOf(folder, path)));
  return [...findings, ...(await checkCertificates(folder, network, now))];
}

async function readersOf(folder: Folder, path: string): Promise<Finding[]> {
  try {
    const { mode } = await stat(join(folder.root, path));
    return (mode & OTHERS) === 0
      ? []
      : [
          {
            where: path,
            what: `can be read by others than its owner: its mode is ${(mode & 0o777).toString(8)}, not 600`,
          },
        ];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function checkCertificates(folder: Folder, network: Network, now: number): Promise<Finding[]> {
  const trusted = await folder.read(AUTHORITY_CERTIFICATE);
  const findings: Finding[] = trusted === undefined ? [] : expiry(AUTHORITY_CERTIFICATE, trusted, now);
  for (const path of certificatePaths(network)) {
    const certificate = await folder.read(path);
    if (certificate === undefined) continue;
    if (!isCertificate(certificate)) {
      findings.push({ where: path, what: "is not a certificate in PEM: rotate it" });
      continue;
    }
    findings.push(...expiry(path, certificate, now));
    if (trusted !== undefined && !isIssuedBy(certificate, trusted))
      findings.push({ where: path, what: "was not issued by the network's authority" });
  }
  return findings;
}

/** Returns the findings on the remaining validity of a certificate. */
export function expiry(where: string, certificate: string, now: number): Finding[] {
  const days = daysLeft(certificate, now);
  if (days > ROTATE_DAYS) return [];
  return [{ where, what: days < 0 ? "has expired: rotate it" : `expires in ${days} days: rotate it` }];
}
