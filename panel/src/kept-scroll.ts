import { computed, effect } from "@preact/signals";
import * as z from "zod";
import { route } from "./route.ts";
import { sectionAt } from "./sections.ts";
import { kept } from "./session/kept.ts";
import { session } from "./session/session.ts";

/** Time in which the content of a view arrives. */
const LOADING_MILLISECONDS = 10_000;

const positions = kept<Readonly<Record<string, number>>>("scroll", z.record(z.string(), z.number()), {});

/** The shown view; `undefined` at the login. */
const view = computed(() => {
  const { path, search, section, arrival } = route.value;
  const isLogin = session.current.value === undefined && sectionAt(path)?.needsAccount === true;
  // A section continues where it was left; a page of the explorer begins at its top, unless the reader goes back.
  const isNew = arrival === "link" && section === "explorer";
  return isLogin ? undefined : { path, key: path + search, isNew, isReplaced: arrival === "replaced" };
});

/** Keeps the scroll position of each view. Its content arrives after the browser would restore it. */
export function keepScroll(): void {
  history.scrollRestoration = "manual";
  let shownPath: string | undefined;
  /** The position to return to, until the user acts. */
  let target: { readonly top: number; readonly until: number } | undefined;
  const reach = (): void => {
    if (target !== undefined && performance.now() > target.until) target = undefined;
    if (target !== undefined) scrollTo(0, target.top);
  };
  effect(() => {
    if (view.value === undefined) return;
    const { path, key, isNew, isReplaced } = view.value;
    const isOther = path !== shownPath;
    shownPath = path;
    target = undefined;
    // A part of the page in the address comes before the position, and what replaces a view is at its place.
    if (location.hash !== "" || (isReplaced && isOther)) return;
    target = {
      top: isNew ? 0 : (positions.peek()[key] ?? 0),
      until: performance.now() + LOADING_MILLISECONDS,
    };
    reach();
  });
  new ResizeObserver(reach).observe(document.documentElement);
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown", "click"])
    addEventListener(act, () => (target = undefined), { capture: true, passive: true });
  addEventListener(
    "scroll",
    () => {
      reach();
      if (target === undefined && view.value !== undefined)
        positions.value = { ...positions.value, [view.value.key]: Math.round(scrollY) };
    },
    { passive: true },
  );
}
