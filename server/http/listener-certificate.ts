import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { SealbookError } from "../errors.ts";

/** A certificate and its key, as PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** How often it is looked whether the files have changed: looking works on every kind of disk, being told does not. */
const LOOK_MILLISECONDS = 2_000;

/** What became of files that have changed. */
export type CertificateEvent =
  { readonly kind: "replaced"; readonly expires: number } | { readonly kind: "refused"; readonly reason: string };

interface Loaded {
  readonly options: SecureContextOptions;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** The certificate that the server listens with. Files that change are taken anew, unless they are of no use. */
export class ListenerCertificate {
  readonly #files: CertificateFiles;
  readonly #onEvent: (event: CertificateEvent) => void;
  #loaded: Loaded;
  /** Why the files were refused last, which is told once. */
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

  /** Unix milliseconds. */
  get expires(): number {
    return this.#loaded.expires;
  }

  /**
   * @param use takes a new one; connections that are open keep the one they have
   * @returns ends it
   */
  follow(use: (options: SecureContextOptions) => void): () => void {
    let looking = false;
    const timer = setInterval(async () => {
      if (looking) return;
      looking = true;
      await this.#look(use);
      looking = false;
    }, LOOK_MILLISECONDS);
    return () => clearInterval(timer);
  }

  async #look(use: (options: SecureContextOptions) => void): Promise<void> {
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

/** @throws when OpenSSL does not take them, they do not belong together, or nobody would believe them */
async function load(files: CertificateFiles): Promise<Loaded> {
  const [cert, key] = await Promise.all([readFile(files.certificate, "utf8"), readFile(files.key, "utf8")]);
  const options: SecureContextOptions = { cert, key, minVersion: "TLSv1.2" };
  createSecureContext(options);
  const expires = Date.parse(new X509Certificate(cert).validTo);
  if (expires <= Date.now()) throw new Error(`${files.certificate} expired on ${new Date(expires).toISOString()}`);
  return { options, expires };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
