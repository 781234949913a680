import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/**
 * What keeps somebody from using a page, as axe sees it: nothing, when all is well.
 * @param page Of a window that was opened with `bypassCSP`: the page's own policy lets no other script in
 */
export async function seriousFaults(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    // What the script above has put there.
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join("; ")}`,
      );
  });
}
