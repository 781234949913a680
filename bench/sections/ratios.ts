import type { Report } from "../run/report.ts";
import { atLeast } from "../run/result.ts";
import { BARE_512 } from "./bare.ts";
import { NAIVE_512 } from "./naive.ts";
import { KEYED_512, SINGLE_512 } from "./single.ts";

/** Adds the ratios between figures of one run, as far as they were measured. */
export function addRatios(report: Report): void {
  const valueOf = (name: string): number | undefined => report.results.find((result) => result.name === name)?.value;
  const ours = valueOf(SINGLE_512);
  if (ours === undefined) return;
  const keyed = valueOf(KEYED_512);
  if (keyed !== undefined)
    report.add({
      section: "ratio",
      name: "posts with idempotency keys against posts without",
      value: keyed / ours,
      unit: "times",
    });
  for (const [what, other, bound] of [
    ["naive relayer", valueOf(NAIVE_512), 20],
    ["bare Express", valueOf(BARE_512), 0.5],
  ] as const) {
    if (other === undefined) continue;
    const value = ours / other;
    const name = `single posts against ${what}, 512 clients`;
    report.add({ section: "ratio", name, value, unit: "times", targets: [atLeast(value, bound, "times")] });
  }
}
