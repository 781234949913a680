import { InvalidArgumentError, Option } from "commander";
import { parseNodeAddress } from "../../server/chain/rpc/connect.ts";

const MAX_CONCURRENCY = 1024;

/** Default folder of bundles. */
export const PROOFS_DIRECTORY = "./sealbook-proofs";

/** Default address of the server. */
const DEFAULT_SERVER = "http://127.0.0.1:8080";
/** Default number of concurrent files and requests. */
export const DEFAULT_CONCURRENCY = 32;

/** `--url` */
export function urlOption(): Option {
  return new Option("--url <address>", "address of the server")
    .env("SEALBOOK_URL")
    .default(DEFAULT_SERVER)
    .argParser(parseHttpUrl);
}

/** `--sums` */
export function sumsOption(): Option {
  return new Option(
    "--sums <file>",
    "list of hashes as of sha256sum or BSD's sha256, in place of files; - for the standard input",
  );
}

/** `--concurrency` */
export function concurrencyOption(): Option {
  return new Option("--concurrency <n>", "maximum number of concurrent files and requests")
    .default(DEFAULT_CONCURRENCY)
    .argParser((text) => {
      const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
      if (value < 1 || value > MAX_CONCURRENCY)
        throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_CONCURRENCY}.`);
      return value;
    });
}

/** Parses an HTTP address of the command line. */
export function parseHttpUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ""))
    throw new InvalidArgumentError("It is not an http or https address.");
  return text.replace(/\/+$/, "");
}

/** Parses the id of the issuer's key. */
export function parseKeyId(text: string): string {
  if (!/^[\w-]{43}$/.test(text)) throw new InvalidArgumentError("It is not the 43 characters of a key's id.");
  return text;
}

/** Parses the node addresses of the command line. */
export function parseNodeUrls(text: string): string {
  try {
    text.split(",").forEach((item) => parseNodeAddress(item.trim()));
  } catch {
    throw new InvalidArgumentError("It must be an http or https address, or several separated by commas.");
  }
  return text;
}
