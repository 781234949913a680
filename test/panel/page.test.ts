import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import { assert } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { fillWithRecords } from "./sample-records.ts";
import { logIn } from "./steps.ts";

/** Bytes, compressed, that the first view may take. */
const FIRST_VIEW = 150_000;
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe finds that keeps somebody from using the page. */
async function seriousFaults(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE }).catch(async () => page.evaluate(await readAxe()));
  return page.evaluate(async () => {
    const { violations } = await (globalThis as never as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe.run();
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`);
  });
}

async function readAxe(): Promise<string> {
  return (await import("node:fs/promises")).readFile(AXE, "utf8");
}
