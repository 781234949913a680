import { getAddress } from "ethers";
import * as z from "zod";
import { apiKeyStore } from "../api-key-store.ts";
import { equalBytes } from "../../kit/bytes.ts";
import type { Database } from "../../journal/engine/database.ts";
import { appendResolution } from "../../journal/entries/entry-log.ts";
import type { JournalKey } from "../../journal/integrity/journal-key.ts";
import { acknowledgedText } from "../../journal/findings/open-divergences.ts";
import { accountStore } from "../../sessions/index.ts";

const Address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text.toLowerCase()));
const Milliseconds = z.int().nonnegative();
const Id = z.string().max(100);

/** What a command of an operator writes to the journal. Keystores are encrypted, and keys are digests. */
export const OperatorWrite = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("account_added"),
    address: Address,
    keystore: z.string(),
    scope: z.enum(["full", "read"]),
    createdAt: Milliseconds,
  }),
  z.object({ kind: z.literal("account_revoked"), address: Address, revokedAt: Milliseconds }),
  z.object({ kind: z.literal("keystore_changed"), address: Address, keystore: z.string(), changedAt: Milliseconds }),
  z.object({
    kind: z.literal("api_key_added"),
    id: Id,
    name: Id,
    scope: z.enum(["read", "write"]),
    digest: z.hex().length(64),
    createdAt: Milliseconds,
    expiresAt: Milliseconds.optional(),
  }),
  z.object({ kind: z.literal("api_key_revoked"), id: Id, revokedAt: Milliseconds }),
  z.object({
    kind: z.literal("divergences_resolved"),
    divergences: z.array(z.object({ subject: z.string(), message: z.string() })),
    reason: z.string(),
    resolvedAt: Milliseconds,
  }),
]);
export type OperatorWrite = z.output<typeof OperatorWrite>;

/**
 * Writes it, in one transaction. A repetition, after a response that was lost, changes nothing else.
 * @returns false when there was nothing to change
 */
export async function applyOperatorWrite(database: Database, key: JournalKey, write: OperatorWrite): Promise<boolean> {
  switch (write.kind) {
    case "account_added": {
      const accounts = accountStore(database, key);
      if ((await accounts.find(write.address)) === undefined) await accounts.add(write);
      return true;
    }
    case "account_revoked":
      await accountStore(database, key).revoke(write.address, write.revokedAt);
      return true;
    case "keystore_changed":
      await accountStore(database, key).changeKeystore(write.address, write.keystore, write.changedAt);
      return true;
    case "api_key_added": {
      const { digest, expiresAt } = write;
      const more = { digest: Buffer.from(digest, "hex"), expiresAt, revokedAt: undefined };
      const keys = apiKeyStore(database);
      const before = await keys.find(write.id);
      if (!equalBytes(before?.digest, more.digest)) await keys.insert({ ...write, ...more });
      return true;
    }
    case "api_key_revoked": {
      const keys = apiKeyStore(database);
      if (await keys.revoke(write.id, write.revokedAt)) return true;
      return (await keys.find(write.id))?.revokedAt === write.revokedAt;
    }
    case "divergences_resolved":
      await resolve(database, key, write);
      return write.divergences.length > 0;
  }
}

async function resolve(
  database: Database,
  key: JournalKey,
  { divergences, reason, resolvedAt: resolved_at }: Extract<OperatorWrite, { kind: "divergences_resolved" }>,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for (const each of divergences)
      await appendResolution(transaction, key, { divergence: acknowledgedText(each), reason, resolved_at });
  });
}
