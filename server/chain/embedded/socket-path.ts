import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { SealbookError } from "../../errors.ts";

/** The longest path of a local socket that every supported system accepts (macOS: 104 bytes with the final zero). */
const LONGEST = 103;

/** A path of a socket in a folder, valid until it is released. */
export interface SocketPath {
  readonly path: string;
  release(): void;
}

/** Returns a path for a socket in a folder with a path that may exceed the limit of socket paths. */
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
