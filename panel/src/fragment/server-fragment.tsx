import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { translate } from "./translate.ts";

/** Makes more of a fragment than it is by itself; gives what undoes it. */
export type Enhance = (root: HTMLElement) => () => void;

/** Shows a piece of HTML that the server made, in the reader's language. */
export function ServerFragment({ html, enhance }: { html: string; enhance: Enhance }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    root.innerHTML = html;
    const stopTranslating = effect(() => translate(root));
    const undo = enhance(root);
    return () => {
      undo();
      stopTranslating();
      root.replaceChildren();
    };
  }, [html]);
  return <div ref={place} />;
}

/** The element of a fragment that is of a kind, or nothing when the server gives none. */
export function partOf<T extends Element>(
  root: ParentNode,
  selector: string,
  kind: abstract new () => T,
): T | undefined {
  const element = root.querySelector(selector);
  return element instanceof kind ? element : undefined;
}
