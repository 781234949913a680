import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import * as z from "zod";
import { writeFileDurably } from "../kit/durable-file.ts";
import type { SessionJournal } from "./store.ts";
import type { AccountService } from "./account-service.ts";

const DemoAccount = z.object({ login: z.string(), password: z.string() });

export type DemoAccount = z.output<typeof DemoAccount>;

/** Writes the new password of the demo account into its file; does nothing for another account. */
export async function updateDemoAccount(file: string, account: DemoAccount): Promise<boolean> {
  if (!existsSync(file)) return false;
  const stored = DemoAccount.parse(JSON.parse(await readFile(file, "utf8")));
  if (stored.login !== account.login) return false;
  await writeDemoAccount(file, account);
  return true;
}

/**
 * Creates a demo account for the embedded chain unless one exists. Stores its login and password in a file that only
 * the owner can read; never overwrites a file of another account.
 * @returns The account if this call created it
 */
export async function ensureDemoAccount(
  file: string,
  journal: Pick<SessionJournal, "accounts">,
  accounts: AccountService,
): Promise<DemoAccount | undefined> {
  const stored = existsSync(file) ? DemoAccount.parse(JSON.parse(await readFile(file, "utf8"))) : undefined;
  // A file without its account remains from an interrupted start. A revoked account stays revoked.
  if (stored !== undefined && (await journal.accounts.find(stored.login)) !== undefined) return undefined;
  // Its password may still open an account of a journal that is restored later.
  if (stored !== undefined) await rename(file, file.replace(/(\.json)?$/, `-${stored.login}$1`));
  const { login, password } = await accounts.create("full", async (account) => {
    await writeDemoAccount(file, account);
  });
  return { login, password };
}

function writeDemoAccount(file: string, { login, password }: DemoAccount): Promise<void> {
  return writeFileDurably(file, [Buffer.from(`${JSON.stringify({ login, password }, null, 2)}\n`)]);
}
