import { MOST_FILES } from "../files/dropped-files.ts";

const HASH_LINE = /^(?:0x)?([0-9a-f]{64})(?:[ \t]+\*?(.+))?$/i;

/**
 * Reads SHA-256 hashes, one in each line, with names as `sha256sum` writes them.
 * @returns `undefined` for another text, and for more lines than files are accepted
 */
export function pastedHashes(text: string): readonly { readonly hash: string; readonly name: string }[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0 || lines.length > MOST_FILES) return undefined;
  const hashes = lines.flatMap((line) => {
    const [, given, name] = HASH_LINE.exec(line.trim()) ?? [];
    const hash = given?.toLowerCase();
    return hash === undefined ? [] : [{ hash, name: name ?? hash }];
  });
  return hashes.length === lines.length ? hashes : undefined;
}
