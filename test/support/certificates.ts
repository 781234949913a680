import "reflect-metadata";
import { randomBytes, type webcrypto, X509Certificate as ParsedCertificate } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MILLISECONDS = 86_400_000;

/** A certificate and its key, in files and as PEM. */
export interface IssuedCertificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly certificate: string;
  readonly key: string;
  /** SHA-256, with colons. */
  readonly fingerprint: string;
}

/** A certificate authority of a test. */
export interface Authority extends IssuedCertificate {
  /** @param days May be negative, for an expired certificate */
  issue(name: string, days?: number): Promise<IssuedCertificate>;
}

/** Creates an authority in a folder, in which all of its files are stored. */
export async function makeAuthority(directory: string, name = "authority"): Promise<Authority> {
  const keys = await newKeys();
  const own = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    ...validity(2),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    ...(await store(directory, name, own, keys.privateKey)),
    async issue(issued, days = 30) {
      const { publicKey, privateKey } = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: `CN=${issued}`,
        issuer: own.subject,
        ...validity(days),
        signingAlgorithm: ALGORITHM,
        publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new SubjectAlternativeNameExtension([
            { type: "dns", value: "localhost" },
            { type: "ip", value: "127.0.0.1" },
          ]),
        ],
      });
      return store(directory, issued, certificate, privateKey);
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

async function store(
  directory: string,
  name: string,
  issued: X509Certificate,
  privateKey: webcrypto.CryptoKey,
): Promise<IssuedCertificate> {
  const certificate = `${issued.toString("pem")}\n`;
  const key = `${PemConverter.encode(await crypto.subtle.exportKey("pkcs8", privateKey), "PRIVATE KEY")}\n`;
  const [certificateFile, keyFile] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  await Promise.all([writeFile(certificateFile, certificate), writeFile(keyFile, key, { mode: 0o600 })]);
  const { fingerprint256: fingerprint } = new ParsedCertificate(certificate);
  return { certificateFile, keyFile, certificate, key, fingerprint };
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const end = Date.now() + days * DAY_MILLISECONDS;
  return { notBefore: new Date(Math.min(Date.now(), end - DAY_MILLISECONDS)), notAfter: new Date(end) };
}

/** Returns 16 random bytes in hex, positive as an integer. */
function serialNumber(): string {
  return `01${randomBytes(15).toString("hex")}`;
}
