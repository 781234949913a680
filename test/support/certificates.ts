import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianProgram } from "./debian-program.ts";

const run = promisify(execFile);
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** A certificate from OpenSSL, and its key. */
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
  const openssl = debianProgram("openssl", "openssl");
  const read = async (stem: string): Promise<IssuedCertificate> => {
    const [certificateFile, keyFile] = [`${stem}.pem`, `${stem}.key`];
    const [certificate, key] = await Promise.all([readFile(certificateFile, "utf8"), readFile(keyFile, "utf8")]);
    return { certificateFile, keyFile, certificate, key, fingerprint: new X509Certificate(certificate).fingerprint256 };
  };
  const stem = join(directory, name);
  await run(openssl, [
    "req",
    "-x509",
    ...NEW_KEY,
    "-keyout",
    `${stem}.key`,
    "-out",
    `${stem}.pem`,
    "-subj",
    `/CN=${name}`,
    "-days",
    "2",
  ]);
  return {
    ...(await read(stem)),
    async issue(issued, days = 30) {
      const path = join(directory, issued);
      await run(openssl, [
        "req",
        "-new",
        ...NEW_KEY,
        "-keyout",
        `${path}.key`,
        "-out",
        `${path}.csr`,
        "-subj",
        `/CN=${issued}`,
        "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ]);
      await run(openssl, [
        "x509",
        "-req",
        "-in",
        `${path}.csr`,
        "-CA",
        `${stem}.pem`,
        "-CAkey",
        `${stem}.key`,
        "-copy_extensions",
        "copy",
        "-days",
        String(days),
        "-out",
        `${path}.pem`,
      ]);
      return read(path);
    },
  };
}
