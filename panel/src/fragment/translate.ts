import { texts } from "../texts/texts.ts";

/** Puts what `data-text` names into the reader's language; what has no such text stays as the server wrote it. */
export function translate(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-text]")) {
    const text = textAt(element.dataset["text"] ?? "");
    if (text !== undefined && element.textContent !== text) element.textContent = text;
  }
}

function textAt(path: string): string | undefined {
  let value: unknown = texts.value;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return typeof value === "string" ? value : undefined;
}
