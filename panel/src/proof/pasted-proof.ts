import { signal } from "@preact/signals";

/** A proof's text that was pasted elsewhere on the page, until it is shown. */
export const pastedProof = signal<string | undefined>(undefined);

export function setPastedProof(text: string): void {
  pastedProof.value = text;
}
