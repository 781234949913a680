import { computed, signal } from "@preact/signals";

/** The explorer, and the verification beside it. */
const ROOT = "/explorer";
export const VERIFY = "/verify";
const NO_PAGE = "/no page";

const path = signal(location.pathname);
addEventListener("popstate", () => (path.value = location.pathname));

/** The current location: the parts of the address below `/explorer`, decoded; one that is not below it has no page. */
export const parts = computed(() =>
  (path.value === ROOT || path.value.startsWith(`${ROOT}/`) ? path.value.slice(ROOT.length) : NO_PAGE)
    .split("/")
    .filter((part) => part !== "")
    .map(decoded),
);

/** Whether the location is the verification. */
export const isVerify = computed(() => path.value === VERIFY || path.value === `${ROOT}/proof`);

/** An address below `/explorer`. */
export function addressOf(...below: readonly string[]): string {
  return [ROOT, ...below.map(encodeURIComponent)].join("/");
}

/** Navigates to an address of the explorer or the verification. */
export function goTo(address: string): void {
  history.pushState(null, "", address);
  path.value = location.pathname;
  scrollTo(0, 0);
}

/** Navigates to another address below `/explorer` and replaces this one in the history. */
export function replaceBy(address: string): void {
  history.replaceState(null, "", address);
  path.value = location.pathname;
}

/** Follows links to these addresses without reloading the page. */
export function followLinks(): void {
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
    if (![ROOT, VERIFY].includes(link.pathname) && !link.pathname.startsWith(`${ROOT}/`)) return;
    event.preventDefault();
    goTo(link.pathname);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
