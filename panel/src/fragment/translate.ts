import { texts } from "../texts/texts.ts";

/** Translates the texts that `data-text` names; a text without translation stays as the server sent it. */
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
