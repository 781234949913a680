import { createHash } from "node:crypto";
import { assert } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "./eventually.ts";

export type GivenFile = readonly [name: string, content: string | Buffer];

export const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

/** Gives files to the page of a verification. */
export async function giveFiles(page: Page, ...files: readonly GivenFile[]): Promise<void> {
  const payloads = files.map(([name, content]) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(content),
  }));
  await page.locator(".drop-input").setInputFiles(payloads);
}

const VERDICTS = [
  "Verified",
  "Not verified",
  "Cannot be said",
  "This content is recorded, according to this server",
  "This content is not recorded, according to this server",
];

/** Waits for the verdict about a single file, and asserts that the page shows no other one. */
export async function onlyVerdict(page: Page, expected: string, why?: string | RegExp): Promise<void> {
  await page.locator(".notice strong").getByText(expected, { exact: true }).waitFor();
  if (why !== undefined) await page.locator(".notice").getByText(why).first().waitFor();
  for (const verdict of VERDICTS)
    if (verdict !== expected)
      assert.equal(await page.getByText(verdict, { exact: true }).count(), 0, `${verdict} beside ${expected}`);
}

/** Returns the verdict of each file in the table, once none is missing. */
export async function verdictsOf(page: Page, count: number): Promise<Map<string, string>> {
  await page.getByText(`All ${count}`, { exact: true }).waitFor();
  return eventually(async () => {
    const rows = await page
      .locator(".table tbody tr:has(.result-name)")
      .evaluateAll((all) =>
        all.map((row) => [
          row.querySelector(".result-name")?.textContent ?? "",
          row.querySelector(".badge")?.textContent ?? "",
        ]),
      );
    const verdicts = new Map(rows.map(([name = "", verdict = ""]) => [name, verdict]));
    assert.notInclude([...verdicts.values()], "");
    return verdicts;
  });
}

/** Begins with no files. */
export async function startAgain(page: Page): Promise<void> {
  const again = page.getByRole("button", { name: "Start again" });
  if (await again.isVisible()) await again.click();
  await again.waitFor({ state: "hidden" });
}
