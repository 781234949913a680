import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { SealbookError } from "../../errors.ts";
import type { ObjectStore } from "./object-store.ts";

/** Detects an unreachable endpoint within seconds; the writer retries soon. */
const CONNECTION_TIMEOUT_MILLISECONDS = 3_000;
const SILENCE_TIMEOUT_MILLISECONDS = 5_000;
const REQUEST_TIMEOUT_MILLISECONDS = 120_000;
const ATTEMPTS = 2;
/** Attempts after a conflict with a concurrent upload of the same name; a repeated request returns its outcome. */
const CONFLICT_ATTEMPTS = 3;

/** Options of a bucket target. */
export interface S3Options {
  readonly name: string;
  readonly bucket: string;
  /** Prefix of all names: empty, or ending with a slash. */
  readonly prefix: string;
  /** Address of a service other than AWS. */
  readonly endpoint: string | undefined;
  /** Unset: the region of the AWS configuration, or `us-east-1` with an endpoint. */
  readonly region: string | undefined;
  /** Whether the bucket is in the path of addresses instead of the host name. */
  readonly pathStyle: boolean;
}

/**
 * Stores files in a bucket of S3, or of a service with its protocol that honours `If-None-Match`. Credentials come from
 * the default sources of the AWS SDK: environment variables, profile or role.
 */
export class S3Store implements ObjectStore {
  readonly name: string;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor({ name, bucket, prefix, endpoint, region, pathStyle }: S3Options) {
    this.name = name;
    this.#bucket = bucket;
    this.#prefix = prefix;
    const usedRegion = region ?? (endpoint === undefined ? undefined : "us-east-1");
    this.#client = new S3Client({
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(usedRegion === undefined ? {} : { region: usedRegion }),
      forcePathStyle: pathStyle,
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECTION_TIMEOUT_MILLISECONDS,
        socketTimeout: SILENCE_TIMEOUT_MILLISECONDS,
      },
    });
  }

  async get(key: string, limit: number): Promise<Buffer | undefined> {
    let response: GetObjectCommandOutput;
    try {
      response = await this.#client.send(new GetObjectCommand(this.#object(key)), timeout());
    } catch (error) {
      if (
        error instanceof S3ServiceException &&
        error.$metadata.httpStatusCode === 404 &&
        error.name !== "NoSuchBucket"
      )
        return undefined;
      throw error;
    }
    const { Body: body, ContentLength: length } = response;
    if (body === undefined || length === undefined)
      throw new SealbookError("internal", `${this.name} responded without ${key}`);
    if (length > limit) {
      await body.transformToWebStream().cancel();
      throw new SealbookError("too_large", `${key} has ${length} bytes, more than the ${limit} it should`);
    }
    return Buffer.from(await body.transformToByteArray());
  }

  async create(key: string, content: Uint8Array): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#client.send(
          new PutObjectCommand({ ...this.#object(key), Body: content, IfNoneMatch: "*", ChecksumAlgorithm: "SHA256" }),
          timeout(),
        );
        return true;
      } catch (error) {
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
        // This very upload may have succeeded, with a lost response: the newest manifest shows that.
        if (status === 412) return false;
        if (status !== 409 || attempt === CONFLICT_ATTEMPTS) throw error;
      }
    }
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(key)), timeout());
  }

  async directories(from: string): Promise<string[]> {
    const found: string[] = [];
    // Names with this prefix sort after the prefix itself.
    for await (const page of this.#pages({
      Prefix: this.#prefix,
      Delimiter: "/",
      ...(from === "" ? {} : { StartAfter: `${this.#prefix}${from}` }),
    })) {
      for (const { Prefix: name } of page.CommonPrefixes ?? []) {
        if (name !== undefined) found.push(name.slice(this.#prefix.length, -1));
      }
    }
    return found;
  }

  async files(directory: string): Promise<string[]> {
    const prefix = `${this.#prefix}${directory}/`;
    const found: string[] = [];
    for await (const page of this.#pages({ Prefix: prefix })) {
      for (const { Key: key } of page.Contents ?? []) if (key !== undefined) found.push(key.slice(prefix.length));
    }
    return found;
  }

  close(): void {
    this.#client.destroy();
  }

  /** Not the SDK's paginator: it has one timeout for all pages, so that a long listing would fail. */
  async *#pages(query: {
    Prefix: string;
    Delimiter?: string;
    StartAfter?: string;
  }): AsyncGenerator<ListObjectsV2CommandOutput, void> {
    let token: string | undefined;
    do {
      const page = await this.#client.send(
        new ListObjectsV2Command({ Bucket: this.#bucket, ...query, ContinuationToken: token }),
        timeout(),
      );
      yield page;
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }
}

/**
 * Limits the total time, which the timeouts of the connection do not: a service may send single bytes at long
 * intervals.
 */
function timeout(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(REQUEST_TIMEOUT_MILLISECONDS) };
}
