import { computed, signal } from "@preact/signals";

/** The shown path, and whether the reader went there: forward, not back in the history. */
const shown = signal({ path: currentPath(), isForward: true });
addEventListener("popstate", () => (shown.value = { path: currentPath(), isForward: false }));

/** The current location: `/SECTION/PART/PART`, as its decoded parts. Home has no section. */
export const route = computed(() => {
  const { path, isForward } = shown.value;
  const [section = "", ...parts] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  return { path, section, parts, isForward };
});

/** Returns the address of a section, or of content in it. */
export function addressOf(section: string, ...parts: readonly string[]): string {
  return `/${[section, ...parts].map(encodeURIComponent).join("/")}`;
}

/** Navigates to an address of this application. */
export function goTo(address: string): void {
  history.pushState(null, "", address);
  shown.value = { path: currentPath(), isForward: true };
  // Moves the focus of screen readers to the new view.
  document.getElementById("view")?.focus({ preventScroll: true });
}

/** Replaces the current address in the history. */
export function replaceBy(address: string): void {
  history.replaceState(null, "", address);
  shown.value = { path: currentPath(), isForward: false };
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
    goTo(link.pathname);
  });
}

/** The path in the browser's bar. Earlier addresses are replaced: tabs were `/#/TAB`, files `/explorer/proof`. */
function currentPath(): string {
  const { pathname, hash } = location;
  const tab = hash.startsWith("#/") ? hash.slice(1).replace(/^\/home$|\?.*$/g, "") : undefined;
  const moved = pathname === "/explorer/proof" ? "/verify" : pathname === "/" ? tab : undefined;
  if (moved === undefined) return pathname;
  history.replaceState(null, "", moved === "" ? "/" : moved);
  return location.pathname;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
