import { every, type Interval } from "../kit/time.ts";
import { VerificationRetention } from "../recovery/verification-retention.ts";
import { RecoveryService } from "../recovery/service.ts";
import { verificationStore } from "../recovery/verification-store.ts";
import type { Context } from "./context.ts";
import type { Proofs } from "./proofs.ts";

const EXPIRY_INTERVAL_MILLISECONDS = 60 * 60_000;

/** Builds the recovery verifications, and the deletion of those after their retention. */
export function createRecovery(
  {
    config: { recovery: limits },
    database,
    opened: { journalKey },
    journal,
    proofAnchor,
    entryVerifier,
    issuer,
    logger,
    clock,
    assertLeads,
    findings,
  }: Context,
  { verifier }: Pick<Proofs, "verifier">,
) {
  const verifications = verificationStore(database, journalKey);
  const retention = new VerificationRetention({ store: verifications, limits, clock });
  const service = new RecoveryService({
    journal,
    verifications,
    retention,
    verifier: entryVerifier,
    chain: proofAnchor,
    beginCheck: () => verifier.begin(),
    assertFindable: () => findings.assertFindable(),
    issuer,
    clock,
    assertLeads,
  });
  const expire = (): Promise<void> =>
    retention
      .expire()
      .catch((err: unknown) =>
        logger.warn({ err }, "old recovery verifications could not be deleted; the server retries in an hour"),
      );
  let first: Promise<void> | undefined;
  let interval: Interval | undefined;
  return {
    service,
    start(): void {
      first = expire();
      interval = every(EXPIRY_INTERVAL_MILLISECONDS, expire);
    },
    async stop(): Promise<void> {
      await interval?.stop();
      await first;
    },
  };
}
