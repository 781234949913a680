import { join } from "node:path";

/** The program of all commands. */
export const SEALBOOK = join(import.meta.dirname, "../../scripts/sealbook.ts");
