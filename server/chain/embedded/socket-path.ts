import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { SealbookError } from "../../errors.ts";

/** The longest path of a local socket that every supported system takes (macOS: 104 bytes with the final zero). */
const LONGEST = 103;

/** A way to name a socket in a folder, for as long as it is needed. */
export interface SocketPath {
  readonly path: string;
  release(): void;
}

/** Names a socket in a folder whose own path may be longer than the path of a socket can be. */
export function socketPath(directory: string, name: string): SocketPath {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= LONGEST) return { path, release: () => undefined };
  if (process.platform !== "linux") {
    throw new SealbookError(
      "directory_unusable",
      `The path of the chain folder is too long for a local socket: ${path}`,
    );
  }
  const descriptor = openSync(directory, "r");
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) };
}
