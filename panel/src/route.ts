import { computed, signal } from "@preact/signals";

/** Earlier addresses of pages; tabs were `/#/TAB`. */
const MOVED: ReadonlyMap<string, string> = new Map([
  ["/explorer/proof", "/verify"],
  ["/docs/", "/docs"],
  ["/#/", "/"],
  ["/#/home", "/"],
]);

/** How the reader came to an address: by a link, by the history or a reload, or because it replaces another one. */
type Arrival = "link" | "history" | "replaced";

const shown = signal(current("history"));
addEventListener("popstate", () => (shown.value = current("history")));

/** The current location: `/SECTION/PART/PART?SEARCH`, as its decoded parts. Home has no section. */
export const route = computed(() => {
  const { path, search, arrival } = shown.value;
  const [section = "", ...parts] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  return { path, search, section, parts, arrival };
});

/** Returns the address of a section, or of content in it. */
export function addressOf(section: string, ...parts: readonly string[]): string {
  return `/${[section, ...parts].map(encodeURIComponent).join("/")}`;
}

/**
 * Navigates to an address of this application.
 * @param keepsFocus Whether the control that was used stays in the new view
 */
export function goTo(address: string, keepsFocus = false): void {
  // As browsers do: a link to the shown page is no further entry.
  if (address === location.pathname + location.search) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  shown.value = current("link");
  // Moves the focus of screen readers to the new view.
  if (!keepsFocus) document.getElementById("view")?.focus({ preventScroll: true });
}

/** Replaces the current address in the history. */
export function replaceBy(address: string): void {
  history.replaceState(null, "", address);
  shown.value = current("replaced");
}

/**
 * Follows links without loading the page again.
 * @param isOfApplication Whether a section has this address
 */
export function followLinks(isOfApplication: (path: string) => boolean): void {
  addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.target !== "" || link.origin !== location.origin || link.hash !== "") return;
    if (link.download !== "" || !isOfApplication(link.pathname)) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
  });
}

function current(arrival: Arrival) {
  return { path: currentPath(), search: location.search, arrival };
}

/** The path in the browser's bar, in place of an earlier one. */
function currentPath(): string {
  const { pathname, hash } = location;
  const earlier = pathname === "/" && hash !== "" ? pathname + hash : pathname;
  const ofTab = MOVED.get(earlier) ?? /^\/#(\/\w+(?:\/\w*)?)/.exec(earlier)?.[1] ?? earlier;
  const ofExplorer = ofTab.replace(/^\/decode(?=\/|$)/, "/explorer/decode");
  const moved = ofExplorer === earlier ? undefined : ofExplorer;
  if (moved !== undefined) history.replaceState(null, "", pathname === "/" ? moved : moved + hash);
  return location.pathname;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
