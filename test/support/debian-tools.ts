import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Programs that tests use, with their Debian packages. */
const PACKAGES = {
  pdftotext: "poppler-utils",
  pdftoppm: "poppler-utils",
  pdfdetach: "poppler-utils",
  pdffonts: "poppler-utils",
  pdfinfo: "poppler-utils",
  openssl: "openssl",
} as const;

/** Returns the error of a test without a required program. */
function missingPackage(program: string, name: string): Error {
  return new Error(`${program} is missing: install Debian's package ${name} (apt-get install ${name})`);
}

/** Runs a program; returns its standard output. */
export async function runTool(tool: keyof typeof PACKAGES, ...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(tool, args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      throw missingPackage(tool, PACKAGES[tool]);
    throw error;
  }
}
