import { computed, signal } from "@preact/signals";

const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

/** Where the reader is: `#/TAB/REST?name=value`, as its decoded parts. */
export const route = computed(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?");
  const [tab = "", ...rest] = path.split("/").map(decoded);
  return { tab, rest: rest.join("/"), query: new URLSearchParams(query) };
});

/** The address of a tab, or of something in it. */
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
