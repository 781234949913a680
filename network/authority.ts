import "reflect-metadata";
import { createPrivateKey, randomBytes, type webcrypto, X509Certificate as ParsedCertificate } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  type JsonGeneralNames,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { SealbookError } from "../server/errors.ts";
import type { Folder } from "./folder.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MILLISECONDS = 86_400_000;
const AUTHORITY_DAYS = 3_650;
/** Validity of a certificate; it must be rotated earlier. */
export const CERTIFICATE_DAYS = 397;
/** Tolerance for clock differences. */
const BACKDATED_MILLISECONDS = 3_600_000;

export const AUTHORITY_CERTIFICATE = "authority/ca.pem";
export const AUTHORITY_KEY = "authority/ca.key";

/** The subject of a certificate. */
export interface Subject {
  readonly name: string;
  readonly usage: "server" | "client";
  /** IP addresses of a server. */
  readonly addresses?: readonly string[];
  readonly dns?: readonly string[];
}

/** A certificate and its key, in PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** The certificate authority of the network. */
export interface Authority {
  /** PEM: its own certificate, then those of trusted predecessors. */
  readonly trusted: string;
  /** @param days Validity; negative for an expired certificate */
  issue(subject: Subject, days?: number): Promise<Issued>;
}

/**
 * Opens the network's authority; creates it if it does not exist.
 * @throws SealbookError `conflict` when key and certificate do not belong together
 */
export async function openAuthority(folder: Folder): Promise<Authority> {
  const [trusted, key] = [await folder.read(AUTHORITY_CERTIFICATE), await folder.read(AUTHORITY_KEY)];
  if (trusted === undefined && key === undefined) return succeed(folder, "");
  if (
    trusted === undefined ||
    key === undefined ||
    !new ParsedCertificate(trusted).checkPrivateKey(createPrivateKey(key))
  ) {
    throw new SealbookError(
      "conflict",
      `${AUTHORITY_KEY} is not the key of the first certificate in ${AUTHORITY_CERTIFICATE}: both come from one backup`,
    );
  }
  return authorityOf(trusted, await importKey(key));
}

/** Creates a successor authority; the certificates of its predecessors stay trusted. */
export async function succeed(folder: Folder, predecessors: string): Promise<Authority> {
  const { certificate, key } = await makeAuthority();
  const trusted = `${certificate}${predecessors}`;
  await folder.write(AUTHORITY_KEY, key, { secret: true });
  await folder.write(AUTHORITY_CERTIFICATE, trusted);
  return authorityOf(trusted, await importKey(key));
}

/** Creates an authority. */
export async function makeAuthority(): Promise<Issued> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // Each authority has a unique name, by which its certificates are recognized.
    name: `CN=Sealbook network authority ${randomBytes(4).toString("hex")}`,
    ...validity(AUTHORITY_DAYS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pemOf(certificate), key: await exportKey(keys.privateKey) };
}

/** Creates an authority from its key and the trusted certificates, the first of which is its own. */
export function authorityOf(trusted: string, signingKey: webcrypto.CryptoKey): Authority {
  const issuer = new X509Certificate(PemConverter.decodeFirst(trusted));
  return {
    trusted,
    async issue({ name, usage, addresses = [], dns = [] }, days = CERTIFICATE_DAYS) {
      const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
      const names: JsonGeneralNames = [
        ...dns.map((value) => ({ type: "dns" as const, value })),
        ...addresses.map((value) => ({ type: "ip" as const, value })),
      ];
      const extensions: Extension[] = [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
        await AuthorityKeyIdentifierExtension.create(await issuer.publicKey.export()),
      ];
      if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names));
      const issued = await X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: `CN=${name}`,
        issuer: issuer.subject,
        ...validity(days),
        signingAlgorithm: ALGORITHM,
        publicKey: keys.publicKey,
        signingKey,
        extensions,
      });
      return { certificate: pemOf(issued), key: await exportKey(keys.privateKey) };
    },
  };
}

/** Returns the DER bytes of the first certificate or key in PEM. */
export function derOf(pem: string): Uint8Array {
  return new Uint8Array(PemConverter.decodeFirst(pem));
}

/** Returns the DER bytes of all certificates or keys in PEM. */
export function dersOf(pem: string): Uint8Array[] {
  return PemConverter.decode(pem).map((der) => new Uint8Array(der));
}

/** Returns whether a text is a certificate in PEM. */
export function isCertificate(text: string): boolean {
  try {
    return new ParsedCertificate(text).subject !== "";
  } catch {
    return false;
  }
}

/** Returns whether one of the authorities issued a certificate. */
export function isIssuedBy(certificate: string, trusted: string): boolean {
  const issued = new ParsedCertificate(certificate);
  return dersOf(trusted).some((der) => issued.verify(new ParsedCertificate(der).publicKey));
}

/** Imports the signing key of an authority. */
export function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pem), ALGORITHM, true, ["sign"]);
}

/** @returns remaining days of a certificate's validity; 0 or negative when it has expired */
export function daysLeft(certificate: string, now: number): number {
  return Math.floor((new ParsedCertificate(certificate).validToDate.getTime() - now) / DAY_MILLISECONDS);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  const end = now + days * DAY_MILLISECONDS;
  return { notBefore: new Date(Math.min(now, end) - BACKDATED_MILLISECONDS), notAfter: new Date(end) };
}

/** Generates 16 random bytes with the first bit cleared, so that the number is not negative. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}
