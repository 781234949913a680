import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { SealbookError } from "../../errors.ts";
import type { ObjectStore } from "./object-store.ts";

/** Total time of an attempt: a service may send single bytes at long intervals. */
const ATTEMPT_TIMEOUT_MILLISECONDS = 120_000;
const ATTEMPTS = 3;
const RETRY_MILLISECONDS = 200;
/** Status of a conflict with a concurrent upload of the same name; a repeated request returns its outcome. */
const CONFLICT = 409;
const TOO_MANY = 429;
const EXISTS = 412;
/** Most bytes of a listing or an error that are read. */
const MOST_TEXT_BYTES = 4 * 1024 * 1024;

/** Options of a bucket target. */
export interface S3Options {
  readonly name: string;
  readonly bucket: string;
  /** Prefix of all names: empty, or ending with a slash. */
  readonly prefix: string;
  /** Address of a service other than AWS. */
  readonly endpoint: string | undefined;
  /** Unset: `AWS_REGION`, or `us-east-1`. */
  readonly region: string | undefined;
  /** Whether the bucket is in the path of addresses instead of the host name. */
  readonly pathStyle: boolean;
}

/**
 * Stores objects in a bucket of S3, or of a service with its protocol. Credentials are in the environment variables of
 * AWS.
 */
export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #client: AwsClient;
  readonly #bucket: URL;
  readonly #prefix: string;
  readonly #stop: AbortSignal | undefined;

  /**
   * @param stop Ends requests
   * @throws SealbookError `config_invalid` without credentials
   */
  constructor({ name, bucket, prefix, endpoint, region, pathStyle }: S3Options, stop?: AbortSignal) {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, ...environment } = process.env;
    if (accessKeyId === undefined || secretAccessKey === undefined)
      throw new SealbookError("config_invalid", `${name} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
    const usedRegion = region ?? environment["AWS_REGION"] ?? "us-east-1";
    const sessionToken = environment["AWS_SESSION_TOKEN"];
    this.name = name;
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: "s3",
      region: usedRegion,
      retries: 0,
    });
    this.#bucket = new URL(endpoint ?? `https://s3.${usedRegion}.amazonaws.com`);
    // An address has no names below it, and a certificate for one name below does not cover two.
    const isInPath = pathStyle || bucket.includes(".") || isIP(this.#bucket.hostname.replace(/^\[|\]$/g, "")) !== 0;
    if (isInPath) this.#bucket.pathname = `${this.#bucket.pathname.replace(/\/$/, "")}/${bucket}`;
    else this.#bucket.hostname = `${bucket}.${this.#bucket.hostname}`;
    this.#prefix = prefix;
    this.#stop = stop;
  }

  async *list(after: string): AsyncGenerator<string, void> {
    let token: string | undefined;
    do {
      const url = new URL(this.#bucket);
      url.searchParams.set("list-type", "2");
      url.searchParams.set("prefix", this.#prefix);
      if (after !== "") url.searchParams.set("start-after", `${this.#prefix}${after}`);
      if (token !== undefined) url.searchParams.set("continuation-token", token);
      const answer = await this.#request(url);
      if (!answer.ok) throw this.#refusal(answer);
      if (answer.content === undefined)
        throw new Error(`${this.name} responds with more than ${MOST_TEXT_BYTES} bytes`);
      const page = answer.content.toString();
      // Anything else must not pass for an empty bucket.
      if (!page.includes("<ListBucketResult")) throw new Error(`${this.name} responds with something else than a list`);
      for (const key of valuesOf(page, "Key")) yield key.slice(this.#prefix.length);
      [token] = valuesOf(page, "NextContinuationToken");
    } while (token !== undefined);
  }

  async get(name: string, limit: number): Promise<Buffer | undefined> {
    const answer = await this.#request(this.#object(name), {}, limit);
    if (answer.ok) return answer.content;
    // Any other 404 is of something else than the bucket: a proxy, for instance.
    if (answer.status === 404 && codeOf(answer) === "NoSuchKey") return undefined;
    throw this.#refusal(answer);
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    const digest = createHash("sha256").update(content).digest();
    const answer = await this.#request(this.#object(name), {
      method: "PUT",
      body: Buffer.from(content),
      headers: {
        "If-None-Match": "*",
        "X-Amz-Content-Sha256": digest.toString("hex"),
        // A bucket with object lock takes nothing without a checksum.
        "X-Amz-Checksum-Sha256": digest.toString("base64"),
        "X-Amz-Sdk-Checksum-Algorithm": "SHA256",
      },
    });
    // It exists, for instance from an upload with a lost response.
    if (!answer.ok && answer.status !== EXISTS) throw this.#refusal(answer);
  }

  #object(name: string): URL {
    const url = new URL(this.#bucket);
    const path = `${this.#prefix}${name}`.split("/").map(encodeURIComponent);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${path.join("/")}`;
    return url;
  }

  /** @param limit Maximum length of a content; a longer one is `undefined` */
  async #request(url: URL, options: RequestInit = {}, limit = MOST_TEXT_BYTES): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === ATTEMPTS;
      const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MILLISECONDS);
      const signal = AbortSignal.any([timeout, ...(this.#stop === undefined ? [] : [this.#stop])]);
      try {
        const response = await this.#client.fetch(url.href, {
          ...options,
          // Of a bucket in another region: the signature holds for one address only.
          redirect: "manual",
          signal,
        });
        const { ok, status, headers } = response;
        const content = ok
          ? await bytesOf(response, limit)
          : await bytesOf(response, MOST_TEXT_BYTES).catch(() => undefined);
        const mayPass = status >= 500 || status === CONFLICT || status === TOO_MANY;
        if (!mayPass || isLast) return { ok, status, headers, content };
      } catch (error) {
        // Anything else is tried again: a lost connection, for instance.
        if (isLast || signal.aborted) throw error;
      }
      await sleep(RETRY_MILLISECONDS, undefined, { signal: this.#stop });
    }
  }

  #refusal(answer: Answer): Error {
    const { status, headers, content } = answer;
    const region = headers.get("x-amz-bucket-region");
    const parts = [
      status,
      codeOf(answer) ?? [],
      valuesOf(content?.toString() ?? "", "Message").slice(0, 1),
      region === null ? [] : `(the bucket is in the region ${region})`,
    ];
    return new Error(`${this.name} responds with ${parts.flat().join(" ")}`);
  }
}

interface Answer extends Pick<Response, "ok" | "status" | "headers"> {
  /** `undefined` when it is too long. */
  readonly content: Buffer | undefined;
}

/** Reads a response; `undefined` when it is longer than `limit` bytes. */
async function bytesOf(response: Response, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the error code of a refusal. */
function codeOf({ content }: Answer): string | undefined {
  return valuesOf(content?.toString() ?? "", "Code")[0];
}

/** Returns the texts of all elements of one name. */
function valuesOf(xml: string, element: string): string[] {
  const found = xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"));
  return Array.from(found, ([, text = ""]) => unescaped(text));
}

const LAST_CODE_POINT = 0x10ffff;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(#x?)?([0-9a-z]+);/gi, (entity, number: string | undefined, name: string) => {
    if (number === undefined) return ENTITIES[name] ?? entity;
    const code = Number.parseInt(name, number === "#" ? 10 : 16);
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : entity;
  });
}
