export { AnchorAudit } from "./anchor-audit.ts";
export { isConfirmedBy } from "./restored.ts";
export type { RecoveryService } from "./service.ts";
export type { RecoveryVerification } from "./verification.ts";
