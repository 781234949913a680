import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { reasonOf, SealbookError } from "../errors.ts";
import { every } from "../kit/time.ts";

/** A certificate and its key, as PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** The suites of TLS 1.3, and those of TLS 1.2 with forward secrecy and authenticated encryption. */
const CIPHERS = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  ...["AES256-GCM-SHA384", "CHACHA20-POLY1305", "AES128-GCM-SHA256"].flatMap((suite) => [
    `ECDHE-ECDSA-${suite}`,
    `ECDHE-RSA-${suite}`,
  ]),
].join(":");

/** Interval of the checks for changed files. Polling works on every file system; change notifications do not. */
const CHECK_MILLISECONDS = 2_000;

/** Results of a change of the files. */
export type CertificateEvent =
  { readonly kind: "replaced"; readonly expires: number } | { readonly kind: "refused"; readonly reason: string };

interface Loaded {
  readonly options: SecureContextOptions;
  /** Unix milliseconds. */
  readonly expires: number;
}

/**
 * The listener's certificate. Reloads it when its files change; keeps the current one when the new files are invalid.
 */
export class ListenerCertificate {
  readonly #files: CertificateFiles;
  readonly #onEvent: (event: CertificateEvent) => void;
  #loaded: Loaded;
  /** Last reason why new files cannot be used; each reason is reported once. */
  #refused: string | undefined;

  private constructor(files: CertificateFiles, onEvent: (event: CertificateEvent) => void, loaded: Loaded) {
    this.#files = files;
    this.#onEvent = onEvent;
    this.#loaded = loaded;
  }

  /** @throws SealbookError `config_invalid` when it cannot be used */
  static async open(files: CertificateFiles, onEvent: (event: CertificateEvent) => void): Promise<ListenerCertificate> {
    try {
      return new ListenerCertificate(files, onEvent, await load(files));
    } catch (cause) {
      throw new SealbookError("config_invalid", `TLS_CERT_FILE and TLS_KEY_FILE: ${reasonOf(cause)}`, { cause });
    }
  }

  get options(): SecureContextOptions {
    return this.#loaded.options;
  }

  /** End of the certificate's validity, in Unix milliseconds. */
  get expires(): number {
    return this.#loaded.expires;
  }

  /**
   * @param use Receives each new certificate; open connections keep their current one
   * @returns a function that ends the watch
   */
  follow(use: (options: SecureContextOptions) => void): () => void {
    const interval = every(CHECK_MILLISECONDS, () => this.#check(use));
    return () => void interval.stop();
  }

  async #check(use: (options: SecureContextOptions) => void): Promise<void> {
    try {
      const { options, expires } = await load(this.#files);
      this.#refused = undefined;
      if (options.cert === this.#loaded.options.cert && options.key === this.#loaded.options.key) return;
      use(options);
      this.#loaded = { options, expires };
      this.#onEvent({ kind: "replaced", expires });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.#refused) this.#onEvent({ kind: "refused", reason });
      this.#refused = reason;
    }
  }
}

/**
 * @throws when OpenSSL rejects the files, certificate and key do not belong together, or the certificate has expired
 */
async function load(files: CertificateFiles): Promise<Loaded> {
  const [cert, key] = await Promise.all([readFile(files.certificate, "utf8"), readFile(files.key, "utf8")]);
  const options: SecureContextOptions = { cert, key, minVersion: "TLSv1.2", ciphers: CIPHERS, honorCipherOrder: true };
  createSecureContext(options);
  const expires = Date.parse(new X509Certificate(cert).validTo);
  if (expires <= Date.now()) throw new Error(`${files.certificate} expired on ${new Date(expires).toISOString()}`);
  return { options, expires };
}
