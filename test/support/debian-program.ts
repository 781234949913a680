import { accessSync, constants } from "node:fs";

/**
 * Where Debian puts a program that the tests do not bring along.
 * @throws that it is missing, and which package has it
 */
export function debianProgram(name: string, debianPackage: string): string {
  const path = `/usr/bin/${name}`;
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`The tests need ${path}: install Debian's package, apt-get install ${debianPackage}`);
  }
}
