const BYTES = 16;

/** Returns a new idempotency key: by it the server recognises the repetition of a call. */
export function newIdempotencyKey(): string {
  // `randomUUID` is missing in pages that were loaded without TLS.
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

/** Returns the header with a key. */
export function keyHeader(key: string): Readonly<Record<string, string>> {
  return { "Idempotency-Key": key };
}
