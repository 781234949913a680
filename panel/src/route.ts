import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

/** The current location: `#/TAB/REST?name=value`, as its decoded parts. */
export const route = computed(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  const [tab = "", ...rest] = path.split("/").map(decoded);
  return { tab, rest: rest.join("/"), query: new URLSearchParams(query) };
});

/** Returns the address of a tab, or of content in it. */
export function addressOf(tab: string, rest = ""): string {
  return `#/${tab}${rest === "" ? "" : `/${encodeURIComponent(rest)}`}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
