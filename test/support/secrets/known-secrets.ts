/** Minimum length of a secret: a shorter one would match by accident. */
const LEAST_LENGTH = 12;
const DIGITS_32_BYTES = 64;
const BASE64_32_BYTES = 43;
/**
 * Passwords and the like are searched as text; 32-byte values are looked up in an index, because there may be very
 * many.
 */
const IS_32_BYTES = /^(?:0x)?[0-9a-f]{64}$/i;
const HEX = /[0-9a-f]{64,}/gi;
const BASE64 = /[A-Za-z0-9+/_-]{43,}/g;
/** Bytes in JSON, of a list or of a typed array. */
const LIST = /(?:(?:"\d+":)?\d{1,3},\s*){31,}(?:"\d+":)?\d{1,3}/g;

/** A set of secrets, which finds them in a text in any encoding. */
export class KnownSecrets {
  /** Kinds by 32 bytes, in hexadecimal. */
  readonly #bytes = new Map<string, string>();
  /** The same secrets by their base64, in the alphabet of URLs and without padding. */
  readonly #base64 = new Map<string, string>();
  readonly #texts = new Map<string, { readonly kind: string; readonly forms: readonly string[] }>();

  get size(): number {
    return this.#bytes.size + this.#texts.size;
  }

  /** @returns the secret */
  add(kind: string, secret: string): string {
    if (IS_32_BYTES.test(secret)) {
      const hex = secret.slice(-DIGITS_32_BYTES).toLowerCase();
      this.#bytes.set(hex, kind);
      this.#base64.set(Buffer.from(hex, "hex").toString("base64url"), kind);
    } else if (secret.length >= LEAST_LENGTH && !this.#texts.has(secret)) {
      this.#texts.set(secret, { kind, forms: formsOf(secret) });
    }
    return secret;
  }

  /** Returns the kinds of the secrets in a text. */
  in(text: string): Set<string> {
    const found = new Set<string>();
    const lower = text.toLowerCase();
    for (const { kind, forms } of this.#texts.values()) if (forms.some((form) => lower.includes(form))) found.add(kind);
    if (this.#bytes.size === 0) return found;
    for (const [run] of text.matchAll(HEX)) this.#lookUp(run.toLowerCase(), DIGITS_32_BYTES, this.#bytes, found);
    for (const [run] of text.matchAll(BASE64)) {
      this.#lookUp(run.replaceAll("+", "-").replaceAll("/", "_"), BASE64_32_BYTES, this.#base64, found);
    }
    for (const [run] of text.matchAll(LIST)) {
      const bytes = run
        .replaceAll(/"\d+":/g, "")
        .split(",")
        .map(Number);
      this.#lookUp(Buffer.from(bytes).toString("hex"), DIGITS_32_BYTES, this.#bytes, found);
    }
    return found;
  }

  #lookUp(run: string, length: number, known: ReadonlyMap<string, string>, found: Set<string>): void {
    for (let start = 0; start + length <= run.length; start += 1) {
      const kind = known.get(run.slice(start, start + length));
      if (kind !== undefined) found.add(kind);
    }
  }
}

/** Returns the encodings of a secret: plain, JSON, URL, hexadecimal, base64, bytes; all in lower case. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // The last character depends on the following bytes.
  const base64 = [bytes.toString("base64"), bytes.toString("base64url")].map((text) => text.replace(/.={0,2}$/, ""));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString("hex"),
    ...base64,
    [...bytes].join(","),
  ].map((form) => form.toLowerCase());
}
