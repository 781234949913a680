import type { IconName } from "./components/icon.tsx";
import type { Load } from "./components/lazy.tsx";
import type { Texts } from "./texts/texts.ts";

/** A tab: its code is loaded when it is first opened. */
export interface Tab {
  /** Its address after `#/`. */
  readonly id: string;
  readonly title: (texts: Texts) => string;
  readonly icon: IconName;
  readonly load: Load;
}

/** The tabs in display order. */
export const TABS: readonly [Tab, ...Tab[]] = [
  { id: "home", title: ({ tabs }) => tabs.home, icon: "home", load: () => import("./home/home.tsx") },
  { id: "records", title: ({ tabs }) => tabs.records, icon: "records", load: () => import("./records/records.tsx") },
  { id: "map", title: ({ tabs }) => tabs.map, icon: "map", load: () => import("./map/map.tsx") },
  { id: "decode", title: ({ tabs }) => tabs.decode, icon: "decode", load: () => import("./decode/decode.tsx") },
  { id: "proofs", title: ({ tabs }) => tabs.proofs, icon: "proofs", load: () => import("./proofs/proofs.tsx") },
];
