import { bare } from "../sections/bare.ts";
import { bulk } from "../sections/bulk.ts";
import { check } from "../sections/check.ts";
import { gas } from "../sections/gas.ts";
import { lookups } from "../sections/lookups.ts";
import { memory } from "../sections/memory.ts";
import { naive } from "../sections/naive.ts";
import { records } from "../sections/records.ts";
import { recovery } from "../sections/recovery.ts";
import { single } from "../sections/single.ts";
import { size } from "../sections/size.ts";
import { start } from "../sections/start.ts";
import { views } from "../sections/views.ts";
import type { Section } from "./bench.ts";

/** All sections in the order of the run. Compared sections are adjacent. */
export const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ["single", single],
  ["naive", naive],
  ["bare", bare],
  ["bulk", bulk],
  ["records", records],
  ["gas", gas],
  ["size", size],
  ["lookups", lookups],
  ["memory", memory],
  ["check", check],
  ["recovery", recovery],
  ["views", views],
  ["start", start],
]);
