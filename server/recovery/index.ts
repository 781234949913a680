export type { RecoveryService } from "./service.ts";
export type { SignedVerification } from "./verification.ts";
