import { bare } from "../sections/bare.ts";
import { bulk } from "../sections/bulk.ts";
import { gas } from "../sections/gas.ts";
import { naive } from "../sections/naive.ts";
import { records } from "../sections/records.ts";
import { single } from "../sections/single.ts";
import type { Section } from "./bench.ts";

/** What can be measured, in the order in which it is. What is compared stands side by side. */
export const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ["single", single],
  ["naive", naive],
  ["bare", bare],
  ["bulk", bulk],
  ["records", records],
  ["gas", gas],
]);
