import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { writeFileDurably } from "../kit/durable-file.ts";
import type { SessionJournal } from "./stores.ts";
import type { AccountService } from "./account-service.ts";

const DemoAccount = z.object({ login: z.string(), password: z.string() });

export type DemoAccount = z.output<typeof DemoAccount>;

/**
 * Sees to it that there is an account to try the embedded chain with. Its login and password are kept in a file that
 * only the owner can read.
 * @returns the account when it was made just now
 */
export async function ensureDemoAccount(
  file: string,
  journal: Pick<SessionJournal, "accounts">,
  accounts: AccountService,
): Promise<DemoAccount | undefined> {
  const kept = existsSync(file) ? DemoAccount.parse(JSON.parse(await readFile(file, "utf8"))) : undefined;
  // A file without its account was left by a start that was interrupted; a revoked account stays revoked.
  if (kept !== undefined && (await journal.accounts.find(kept.login)) !== undefined) return undefined;
  const { login, password } = await accounts.create("full", async (account) => {
    const content = { login: account.login, password: account.password };
    await writeFileDurably(file, [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)]);
  });
  return { login, password };
}
