import type { Package } from "./archive.ts";
import { clientPackage } from "./client.ts";
import { contractsPackage } from "./contracts.ts";
import { sealbookPackage } from "./sealbook.ts";

/** All packages of a release. */
export const PACKAGES: readonly Package[] = [sealbookPackage, clientPackage, contractsPackage];
