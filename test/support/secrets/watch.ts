import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import type { HttpResponse } from "../http.ts";
import { KnownSecrets } from "./known-secrets.ts";

/** Variables with a secret as value. */
const SECRET_VARIABLE = /(?:KEY|SECRET|TOKEN|PASSWORD)$/;
/** Variables of files that only the server may read. */
const SECRET_FILE_VARIABLE = /(?:KEY|KEYSTORE|PASSWORD|SECRET|TOKEN)_FILE$/;
/** Files of the data folder that hold secrets. */
const SECRET_FILES = ["keys.json", "issuer-keys.json", "demo-account.json", "bot-key"];
const ADDRESS = /\w+:\/\/[^\s,]+/g;

/** The output of a server, and its destination. */
interface Written {
  readonly where: string;
  readonly text: () => string;
}

/** A secret in a forbidden output. */
export interface Leak {
  readonly kind: string;
  readonly where: string;
}

/**
 * Collects all output of a test file's servers, and their secrets. Compares them at the end of the file: a secret may
 * be written before it is registered.
 */
class SecretWatch {
  #secrets = new KnownSecrets();
  #written: Written[] = [];
  #isOn = false;

  /** Starts a new collection; without it nothing is collected. */
  begin(): void {
    this.#secrets = new KnownSecrets();
    this.#written = [];
    this.#isOn = true;
  }

  /** Checks the output since {@link begin}, and clears it. */
  end(): Leak[] {
    const leaks = new Map<string, Leak>();
    for (const { where, text } of this.#written) {
      for (const kind of this.#secrets.in(text())) leaks.set(`${kind} ${where}`, { kind, where });
    }
    this.#isOn = false;
    this.#written = [];
    return [...leaks.values()];
  }

  /** @param text Returns the whole output at the end */
  wrote(where: string, text: () => string): void {
    if (this.#isOn) this.#written.push({ where, text });
  }

  /** Adds the output of a process on its two streams. */
  process(output: () => string): void {
    this.wrote("the output of a process", output);
  }

  uses(kind: string, secret: unknown): void {
    if (this.#isOn && typeof secret === "string") this.#secrets.add(kind, secret);
  }

  /** Adds the secrets of a server's configuration. */
  configured(variables: EnvironmentVariables): void {
    for (const [name, value = ""] of Object.entries(variables)) {
      if (SECRET_VARIABLE.test(name)) this.uses(name, value);
      if (SECRET_FILE_VARIABLE.test(name) && !name.includes("PUBLIC")) this.#usesFile(name, value);
      for (const [address] of value.matchAll(ADDRESS)) {
        const password = URL.parse(address)?.password ?? "";
        this.uses(`password of ${name}`, decodeURIComponent(password));
      }
    }
  }

  /** Adds the secrets of a server's data folder. */
  keeps(directory: string): void {
    for (const name of SECRET_FILES) this.#usesFile(name, join(directory, name));
  }

  /** Adds an HTTP request to a server and its response. */
  exchanged(url: string, { headers, body }: RequestInit, response: HttpResponse): void {
    if (!this.#isOn) return;
    const sent = new Headers(headers);
    if (response.status !== 401) {
      this.uses("API key", sent.get("X-API-Key"));
      this.uses("JWT", sent.get("Authorization")?.replace(/^Bearer +/i, ""));
    }
    const { pathname } = new URL(url);
    if (pathname === "/metrics") this.wrote("the metrics", () => response.text);
    else if (response.status >= 400)
      this.wrote(
        "an error response",
        () => JSON.stringify([...response.headers]) + withoutPath(response.text, pathname),
      );
    else if (pathname === "/api") this.#session(body, response.body);
  }

  #session(sent: unknown, body: HttpResponse["body"]): void {
    const { tx, pkey, svcauth } = body?.content?.tparams ?? {};
    for (const token of [tx, svcauth]) this.uses("token of a session", token);
    this.uses("secure key of a session", pkey);
    if (typeof sent === "string" && sent.includes('"password"'))
      this.uses("password of an account", JSON.parse(sent).credentials?.password);
  }

  #usesFile(name: string, path: string): void {
    if (!this.#isOn) return;
    for (const secret of secretsOf(path)) this.uses(`a secret of ${name}`, secret);
  }
}

/** The watch of this process. */
export const secretWatch = new SecretWatch();

/**
 * Removes the path from an error that repeats it: a request for a missing document gets its name back, even when that
 * is a secret.
 */
function withoutPath(text: string, pathname: string): string {
  try {
    return text.replaceAll(decodeURIComponent(pathname.split("/").at(-1) ?? "") || "/", "");
  } catch {
    return text;
  }
}

/**
 * Returns the secrets in a file: lines of a PEM, the ciphertext of a keystore, keys and passwords in JSON, else the
 * whole text.
 */
function secretsOf(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch {
    // A missing file contains no secret.
    return [];
  }
  if (text.includes("-----BEGIN"))
    return text
      .split("\n")
      .filter((line) => /^[A-Za-z0-9+/]{40,}={0,2}$/.test(line))
      .slice(1);
  if (!text.startsWith("{")) return [text];
  const named = /"(?:relayer|administrator|private_?key|password|ciphertext)"\s*:\s*"([^"]+)"/gi;
  return [...text.matchAll(named)].map(([, secret = ""]) => secret);
}
