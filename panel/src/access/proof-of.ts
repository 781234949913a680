import { proofClient } from "./proof-access.ts";

/** Whether a text is written as a SHA-256 or the id of a proof. */
export function isHash(text: string): boolean {
  return /^(0x)?[0-9a-f]{64}$/i.test(text);
}

/**
 * Returns the id of a proof, by itself or by the SHA-256 of the content that it is of: lists have only the newest
 * record of a document.
 */
export async function proofOf(text: string): Promise<string | undefined> {
  const hash = text.replace(/^0x/i, "").toLowerCase();
  try {
    const client = proofClient();
    if ((await client.find(hash)) !== undefined) return hash;
    const [found] = await client.verifyAll([hash]);
    return found?.valid === true ? found.id : undefined;
  } catch {
    return undefined;
  }
}
