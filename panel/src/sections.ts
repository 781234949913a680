import type { IconName } from "./components/icon.tsx";
import type { Load } from "./components/lazy.tsx";
import type { Texts } from "./texts/texts.ts";

/** A section: its code is loaded when it is first opened. */
export interface Section {
  /** The first part of its address; Home has none. */
  readonly id: string;
  readonly title: (texts: Texts) => string;
  /** Its icon in the bar; a section without one is reached from others. */
  readonly icon?: IconName;
  readonly needsAccount: boolean;
  readonly load: Load;
}

/** The sections in display order. */
export const SECTIONS: readonly Section[] = [
  {
    id: "",
    title: ({ tabs }) => tabs.home,
    icon: "home",
    needsAccount: true,
    load: () => import("./home/home.tsx"),
  },
  {
    id: "records",
    title: ({ tabs }) => tabs.records,
    icon: "records",
    needsAccount: true,
    load: () => import("./records/records.tsx"),
  },
  {
    id: "proofs",
    title: ({ tabs }) => tabs.proofs,
    icon: "proofs",
    needsAccount: true,
    load: () => import("./proofs/proofs.tsx"),
  },
  { id: "map", title: ({ tabs }) => tabs.map, icon: "map", needsAccount: true, load: () => import("./map/map.tsx") },
  {
    id: "explorer",
    title: ({ common }) => common.explorer,
    icon: "explorer",
    needsAccount: false,
    load: () => import("./explorer/explorer.tsx"),
  },
  {
    id: "verify",
    title: ({ verify }) => verify.title,
    icon: "check",
    needsAccount: false,
    load: () => import("./verify/verify-page.tsx"),
  },
  {
    id: "docs",
    title: ({ api }) => api.title,
    icon: "decode",
    needsAccount: false,
    load: () => import("./api/api.tsx"),
  },
  {
    id: "proof",
    title: ({ certificate }) => certificate.title,
    needsAccount: false,
    load: () => import("./proof/proof-page.tsx"),
  },
];

/** Returns the section with an address, if there is one. */
export function sectionAt(path: string): Section | undefined {
  const [id, ...rest] = path.slice(1).split("/");
  const hasParts = id === "explorer" || (id === "proof" && rest.length === 1);
  return rest.length === 0 || hasParts ? SECTIONS.find((section) => section.id === id) : undefined;
}
