import { generateKeyPairSync, randomBytes } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";
import { type Authority, CERTIFICATE_DAYS, derOf, dersOf, type Subject } from "./authority.ts";
import type { Folder } from "./folder.ts";
import type { Network, NetworkHost } from "./network-file.ts";
import { nodeKeyPath } from "./node-key.ts";
import { keyStore, trustStore } from "./pkcs12.ts";

/** Path of a node's certificate. It is for inspection: its key is in the key store only. */
export const serverCertificatePath = (host: string): string => `${host}/besu/tls/server.pem`;
const serverStorePath = (host: string): string => `${host}/besu/tls/server.p12`;
const clientsStorePath = (host: string): string => `${host}/besu/tls/clients.p12`;
const passwordPath = (host: string): string => `${host}/besu/tls/password`;
/** Path of the public key that verifies tokens of a data centre's operator. */
const tokenPublicKeyPath = (host: string): string => `${host}/besu/tls/operator.pub`;
const tokenKeyPath = (host: string): string => `${host}/operator/token.key`;
/** Path of a header file for curl (`-H @FILE`), which keeps the token out of the process list. */
const authorizationPath = (host: string): string => `${host}/operator/authorization`;

/** File names in a folder of client certificates. */
export const CLIENT_FILES = { certificate: "client.pem", key: "client.key", authority: "ca.pem" } as const;
/** Folder of the operator's client certificate for the node. */
export const operatorFolder = (host: string): string => `${host}/operator`;
/** Folder of a relayer's client certificate for its node. */
export const relayerFolder = (relayer: string): string => `${relayer}/tls`;

/** Lists the files of a data centre that only their owner may read, relative to the network's folder. */
export function secretsOf(host: string): string[] {
  const client = `${operatorFolder(host)}/${CLIENT_FILES.key}`;
  const others = [passwordPath(host), serverStorePath(host), tokenKeyPath(host), authorizationPath(host)];
  return [nodeKeyPath(host), client, ...others];
}

/** Creates the credentials and trust files of a data centre; keeps existing files unless they are to be renewed. */
export async function makeHostCredentials(
  folder: Folder,
  authority: Authority,
  host: NetworkHost,
  anew = false,
): Promise<void> {
  await makeServerStore(folder, authority, host, anew);
  await makeClient(folder, authority, operatorFolder(host.name), `${host.name} operator`, anew);
  await makeToken(folder, host.name, anew);
}

/** Creates the credentials and trust files of a relayer; keeps existing files unless they are to be renewed. */
export function makeRelayerCredentials(
  folder: Folder,
  authority: Authority,
  relayer: string,
  anew = false,
): Promise<void> {
  return makeClient(folder, authority, relayerFolder(relayer), relayer, anew);
}

/** Writes the trusted certificates of all members; keeps their own credentials. */
export async function writeTrust(folder: Folder, authority: Authority, { hosts, relayers }: Network): Promise<void> {
  const directories = [
    ...hosts.map(({ name }) => operatorFolder(name)),
    ...relayers.map(({ name }) => relayerFolder(name)),
  ];
  for (const directory of directories) await folder.write(`${directory}/${CLIENT_FILES.authority}`, authority.trusted);
  for (const { name } of hosts) {
    const password = (await folder.read(passwordPath(name)))?.trim();
    if (password !== undefined) await writeTrustedClients(folder, authority, name, password);
  }
}

/** Lists the paths of the certificates that the authority issued. */
export function certificatePaths({ hosts, relayers }: Network): string[] {
  return [
    ...hosts.flatMap(({ name }) => [
      serverCertificatePath(name),
      `${operatorFolder(name)}/${CLIENT_FILES.certificate}`,
    ]),
    ...relayers.map(({ name }) => `${relayerFolder(name)}/${CLIENT_FILES.certificate}`),
  ];
}

function serverSubject({ name, address, dns }: NetworkHost): Subject {
  return {
    name,
    usage: "server",
    addresses: [address, "127.0.0.1"],
    dns: [...new Set([name, ...dns, "localhost"])],
  };
}

async function makeServerStore(folder: Folder, authority: Authority, host: NetworkHost, anew: boolean): Promise<void> {
  const { name } = host;
  let password = (await folder.read(passwordPath(name)))?.trim();
  const stores = [serverCertificatePath(name), serverStorePath(name), clientsStorePath(name)];
  if (password !== undefined && !anew && (await areThere(folder, stores))) {
    folder.outcome.kept.push(passwordPath(name), ...stores);
    return;
  }
  if (password === undefined) {
    password = randomBytes(24).toString("hex");
    await folder.write(passwordPath(name), `${password}\n`, { secret: true });
  }
  const { certificate, key } = await authority.issue(serverSubject(host));
  const certificates = [derOf(certificate), derOf(authority.trusted)];
  await folder.write(serverStorePath(name), await keyStore({ key: derOf(key), certificates }, password), {
    secret: true,
  });
  await folder.write(serverCertificatePath(name), certificate);
  await writeTrustedClients(folder, authority, name, password);
}

async function writeTrustedClients(
  folder: Folder,
  { trusted }: Authority,
  host: string,
  password: string,
): Promise<void> {
  await folder.write(clientsStorePath(host), await trustStore(dersOf(trusted), password));
}

async function makeClient(
  folder: Folder,
  authority: Authority,
  directory: string,
  name: string,
  anew: boolean,
): Promise<void> {
  const paths = { certificate: `${directory}/${CLIENT_FILES.certificate}`, key: `${directory}/${CLIENT_FILES.key}` };
  await folder.add({ path: `${directory}/${CLIENT_FILES.authority}`, content: authority.trusted });
  if (!anew && (await areThere(folder, Object.values(paths)))) {
    folder.outcome.kept.push(...Object.values(paths));
    return;
  }
  const { certificate, key } = await authority.issue({ name, usage: "client" });
  await folder.write(paths.key, key, { secret: true });
  await folder.write(paths.certificate, certificate);
}

/**
 * Writes a token and its public key. The token permits methods that change a node; its signing key is never on the
 * node.
 */
async function makeToken(folder: Folder, host: string, anew: boolean): Promise<void> {
  if (!anew && (await areThere(folder, [tokenKeyPath(host), tokenPublicKeyPath(host), authorizationPath(host)]))) {
    folder.outcome.kept.push(tokenKeyPath(host), tokenPublicKeyPath(host), authorizationPath(host));
    return;
  }
  const { privateKey, publicKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const token = await new SignJWT({ permissions: ["*:*"] })
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setSubject(`${host} operator`)
    .setIssuedAt()
    .setExpirationTime(`${CERTIFICATE_DAYS} days`)
    .sign(await importPKCS8(privateKey, "ES256"));
  await folder.write(tokenKeyPath(host), privateKey, { secret: true });
  await folder.write(tokenPublicKeyPath(host), publicKey);
  await folder.write(authorizationPath(host), `Authorization: Bearer ${token}\n`, { secret: true });
}

async function areThere(folder: Folder, paths: readonly string[]): Promise<boolean> {
  const contents = await Promise.all(paths.map((path) => folder.read(path)));
  return contents.every((content) => content !== undefined);
}
