import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentVariables } from "../../../server/config/environment.ts";
import type { Answer } from "../http.ts";
import { KnownSecrets } from "./known-secrets.ts";

/** Variables that hold a secret themselves. */
const SECRET_VARIABLE = /(?:KEY|SECRET|TOKEN|PASSWORD)$/;
/** Variables of files that nobody but the server is to read. */
const SECRET_FILE_VARIABLE = /(?:KEY|KEYSTORE|PASSWORD|SECRET|TOKEN)_FILE$/;
/** Files of the data folder that hold secrets. */
const SECRET_FILES = ["keys.json", "issuer-keys.json", "demo-account.json", "bot-key"];
const ADDRESS = /\w+:\/\/[^\s,]+/g;

/** What a server wrote, and where. */
interface Written {
  readonly where: string;
  readonly text: () => string;
}

/** A secret that was found where it must not be. */
export interface Leak {
  readonly kind: string;
  readonly where: string;
}

/**
 * Collects everything that the servers of a test file write, and their secrets. It compares them at the end of the
 * file: a secret may be written before it is known to be one.
 */
class SecretWatch {
  #secrets = new KnownSecrets();
  #written: Written[] = [];
  #isOn = false;

  /** Begins anew; without it nothing is kept. */
  begin(): void {
    this.#secrets = new KnownSecrets();
    this.#written = [];
    this.#isOn = true;
  }

  /** Has looked at what was written since {@link begin}, and forgets it. */
  end(): Leak[] {
    const leaks = new Map<string, Leak>();
    for (const { where, text } of this.#written) {
      for (const kind of this.#secrets.in(text())) leaks.set(`${kind} ${where}`, { kind, where });
    }
    this.#isOn = false;
    this.#written = [];
    return [...leaks.values()];
  }

  /** @param text What was written by the end */
  wrote(where: string, text: () => string): void {
    if (this.#isOn) this.#written.push({ where, text });
  }

  /** What a process wrote on its two streams. */
  process(output: () => string): void {
    this.wrote("the output of a process", output);
  }

  uses(kind: string, secret: unknown): void {
    if (this.#isOn && typeof secret === "string") this.#secrets.add(kind, secret);
  }

  /** A server has this configuration. */
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

  /** A server keeps its keys in this folder. */
  keeps(directory: string): void {
    for (const name of SECRET_FILES) this.#usesFile(name, join(directory, name));
  }

  /** Something was asked of a server over HTTP. */
  exchanged(url: string, { headers, body }: RequestInit, answer: Answer): void {
    if (!this.#isOn) return;
    const sent = new Headers(headers);
    if (answer.status !== 401) {
      this.uses("API key", sent.get("X-API-Key"));
      this.uses("JWT", sent.get("Authorization")?.replace(/^Bearer +/i, ""));
    }
    const { pathname } = new URL(url);
    if (pathname === "/metrics") this.wrote("the metrics", () => answer.text);
    else if (answer.status >= 400)
      this.wrote("an error's answer", () => JSON.stringify([...answer.headers]) + withoutPath(answer.text, pathname));
    else if (pathname === "/api") this.#session(body, answer.body);
  }

  #session(sent: unknown, answered: Answer["body"]): void {
    const { tx, pkey, svcauth } = answered?.content?.tparams ?? {};
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

/** The one of this process. */
export const secretWatch = new SecretWatch();

/** Who asks for a document of a name is told that there is none of that name, even when that is a secret. */
function withoutPath(text: string, pathname: string): string {
  try {
    return text.replaceAll(decodeURIComponent(pathname.split("/").at(-1) ?? "") || "/", "");
  } catch {
    return text;
  }
}

/** Secrets in a file: lines of a PEM, the ciphertext of a keystore, keys and passwords in JSON, else the whole text. */
function secretsOf(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch {
    // There is none: then nothing of it can be told.
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
