import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}

/**
 * Returns the serious accessibility violations that axe finds on a page; empty for an accessible page.
 * @param page Of a window that was opened with `bypassCSP`: the page's own policy blocks other scripts
 */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    // Set by the script above.
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
