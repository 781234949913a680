import { expect } from "chai";
import { BUNDLE_VECTORS, DOCUMENT_HASH, TRUSTED_KEY, VALIDATORS } from "../vectors/bundles/vectors.ts";
import { contentOf, forged } from "../support/forgery.ts";
import { type Step, verifyBundle } from "../../verifier/verify.mjs";

const HEX = "0123456789abcdef";

/** Returns replacements of a character: the next digit for a digit, and characters that differ in one bit. */
function othersThan(character: string): string[] {
  const code = character.charCodeAt(0);
  const digit = HEX.indexOf(character);
  return [
    ...(digit === -1 ? [] : [HEX.charAt((digit + 1) % 16)]),
    String.fromCharCode(code ^ 1),
    String.fromCharCode(code ^ 0x20),
  ];
}

function replaced(text: string, position: number, character: string): string {
  return text.slice(0, position) + character + text.slice(position + 1);
}

/** Verifications at once: the engine's threads check their signatures. */
const AT_ONCE = 32;

/** Runs a check for each number below a count. */
async function atOnce(count: number, check: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await check(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Returns each text in a value with its path. */
function textsIn(value: unknown, path: readonly string[] = []): { path: readonly string[]; text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name]));
}

/** Digits of a seal in a header: its head, and 65 bytes. */
const SEAL_DIGITS = 2 * 67;
const SEALS = /(?:b841[0-9a-f]{130}){3,}/;

/**
 * Returns a header in which the seal with a digit is the first one, and the position of the digit there. Seals have no
 * order, and the check of a seal takes long: it ends at the first wrong one.
 */
function withSealFirst(header: string, position: number): { header: string; position: number } {
  const { index: start, 0: seals } = SEALS.exec(header) ?? expect.fail("the header has no seals");
  if (position < start || position >= start + seals.length) return { header, position };
  const offset = (position - start) % SEAL_DIGITS;
  const [from, to] = [position - offset, position - offset + SEAL_DIGITS];
  const others = header.slice(start, from) + header.slice(to, start + seals.length);
  return {
    header: header.slice(0, start) + header.slice(from, to) + others + header.slice(start + seals.length),
    position: start + offset,
  };
}

/** The failed check and its reason, by the path of the changed text. */
const FAILURES: readonly (readonly [path: RegExp, title: RegExp, reason: RegExp])[] = [
  [/^record\.hash$/, /^Document$/, /the document's SHA-256 is/],
  [/^record\.record_hash$/, /^Recorded hash$/, /is not that of the document's id/],
  [/^merkle\.leaf$/, /^Batch$/, /the leaf is not that of the recorded hash/],
  [/^merkle\.(root|path)/, /^Batch$/, /does not lead from the recorded hash to the root/],
  [/^block\.hash$/, /^Block header$/, /does not have the block's hash/],
  [
    /^block\.header$/,
    /^(Block header|Commit seals)$/,
    /the block's hash|too few fields|RLP|is not \d+ bytes|is not a list|seal|signature|validators/,
  ],
  [/^consensus\.validators/, /^Block header$/, /the validators are not those of the header/],
  [/^anchor\.contract$/, /^Transaction$/, /does not call the contract/],
  [/^anchor\.transaction\.proof/, /^Transaction$/, /does not have the hash that references it/],
  [/^anchor\.transaction\.raw$/, /^Transaction$/, /another transaction at this index/],
  [/^anchor\.receipt\.proof/, /^Receipt$/, /does not have the hash that references it/],
  [/^anchor\.receipt\.raw$/, /^Receipt$/, /another receipt at this index/],
];

describe("changed bundles", () => {
  for (const { name, text } of BUNDLE_VECTORS) {
    it(`are rejected for any changed character of "${name}"`, async () => {
      await atOnce(text.length, async (position) => {
        const others = othersThan(text.charAt(position));
        // All replacements for the shortest vector, one per position for the others.
        for (const other of name === "alone" ? others : others.slice(position % others.length).slice(0, 1)) {
          const { ok } = await verifyBundle(replaced(text, position, other), DOCUMENT_HASH, {
            trustedKey: TRUSTED_KEY,
          });
          if (ok)
            expect.fail(
              `character ${position} can be ${JSON.stringify(other)}: ${text.slice(position - 20, position + 20)}`,
            );
        }
      });
    });

    it(`are rejected when "${name}" is truncated or extended`, async () => {
      const { length } = text.trimEnd();
      for (let end = 0; end < length; end += 1) {
        expect((await verifyBundle(text.slice(0, end), DOCUMENT_HASH, { trustedKey: TRUSTED_KEY })).ok).to.equal(false);
      }
      for (const more of ["\0", "{}", "\u00a0", "\uFEFF"]) {
        expect((await verifyBundle(text + more, DOCUMENT_HASH, { trustedKey: TRUSTED_KEY })).ok).to.equal(false);
      }
      // White space around the text is no part of it.
      for (const more of [" ", "\n", "\r\n\t"]) {
        expect((await verifyBundle(text + more, DOCUMENT_HASH, { trustedKey: TRUSTED_KEY })).ok).to.equal(true);
      }
    });
  }

  // One vector per protocol, with all members of a bundle.
  for (const { name, text } of BUNDLE_VECTORS.filter(({ name }) => name.endsWith("later-round"))) {
    it(`accept the seals of "${name}" in another order, and no wrong one in any place`, async () => {
      const { header } = contentOf(text).block;
      const { index: start, 0: seals } = SEALS.exec(header) ?? expect.fail("the header has no seals");
      const last = withSealFirst(header, start + seals.length - 1);
      expect(last.header).to.not.equal(header);
      expect(last.header.charAt(last.position)).to.equal(header.charAt(start + seals.length - 1));
      const reordered = forged(text, (bundle) => void (bundle.block.header = last.header));
      expect((await verifyBundle(reordered, DOCUMENT_HASH, { validators: VALIDATORS })).ok).to.equal(true);
      // A wrong seal in its own place, after right ones.
      for (let seal = start; seal < start + seals.length; seal += SEAL_DIGITS) {
        const digit = seal + SEAL_DIGITS - 10;
        const other = HEX.charAt((HEX.indexOf(header.charAt(digit)) + 1) % 16);
        const forgery = forged(text, (bundle) => void (bundle.block.header = replaced(header, digit, other)));
        const { steps } = await verifyBundle(forgery, DOCUMENT_HASH, { validators: VALIDATORS });
        expect(steps.at(-1)).to.include({ title: "Commit seals", ok: false });
      }
    });

    it(`are rejected for any changed byte in the evidence of "${name}", also re-signed`, async () => {
      let changed = 0;
      for (const { path, text: hex } of textsIn(contentOf(text))) {
        const [, title, reason] = FAILURES.find(([pattern]) => pattern.test(path.join("."))) ?? [];
        if (title === undefined || reason === undefined) continue;
        const isHeader = path.join(".") === "block.header";
        // One digit of each byte, alternating the first and the second.
        for (let byte = hex.startsWith("0x") ? 2 : 0; byte < hex.length; byte += 2) {
          const position = byte + ((byte >> 1) % 2);
          const other = HEX.charAt((HEX.indexOf(hex.charAt(position)) + 1 + (position % 15)) % 16);
          const forgery = forged(text, (bundle) => {
            const parent = path.slice(0, -1).reduce((value, member) => value[member], bundle);
            const first = isHeader ? withSealFirst(hex, position) : { header: hex, position };
            parent[path.at(-1) ?? ""] = replaced(first.header, first.position, other);
          });
          const { ok, steps } = await verifyBundle(forgery, DOCUMENT_HASH, { validators: VALIDATORS });
          const last: Step | undefined = steps.at(-1);
          const where = `digit ${position} of ${path.join(".")}: ${JSON.stringify(last)}`;
          if (ok || last === undefined || last.ok) expect.fail(`${where} was not rejected`);
          if (!title.test(last.title) || !reason.test(last.reason)) expect.fail(where);
          changed += 1;
        }
      }
      expect(changed).to.be.greaterThan(2000);
    });
  }
});
