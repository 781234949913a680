import { accessSync, constants } from "node:fs";

/**
 * Returns the path of a program from a Debian package.
 * @throws if it is missing, with the name of its package
 */
export function debianProgram(name: string, debianPackage: string, folder = "/usr/bin"): string {
  const path = `${folder}/${name}`;
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`The tests need ${path}: install Debian's package, apt-get install ${debianPackage}`);
  }
}
