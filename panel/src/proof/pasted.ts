import { signal } from "@preact/signals";

/** A proof's text that was pasted elsewhere on the page, until it is shown. */
export const pasted = signal<string | undefined>(undefined);

export function setPasted(text: string): void {
  pasted.value = text;
}
