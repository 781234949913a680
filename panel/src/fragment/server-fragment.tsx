import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { visibleText } from "../visible-text.ts";
import { translate } from "./translate.ts";

/** Enhances a fragment; returns a function that undoes it. */
export type Enhance = (root: HTMLElement) => () => void;

/** Shows a piece of HTML from the server, in the user's language. */
export function ServerFragment({ html, enhance }: { html: string; enhance: Enhance }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = container.current;
    if (root === null) return;
    root.innerHTML = html;
    showHiddenIn(root);
    const stopTranslating = effect(() => translate(root));
    const undo = enhance(root);
    return () => {
      undo();
      stopTranslating();
      root.replaceChildren();
    };
  }, [html]);
  return <div ref={container} />;
}

/** Makes hidden characters of the texts visible: those of the server's log can be of other accounts. */
function showHiddenIn(root: HTMLElement): void {
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode() !== null) {
    const { currentNode: node } = nodes;
    node.nodeValue = visibleText(node.nodeValue ?? "");
  }
}

/** Returns the element of a fragment with a type; `undefined` if the server sends none. */
export function partOf<T extends Element>(
  root: ParentNode,
  selector: string,
  kind: abstract new () => T,
): T | undefined {
  const element = root.querySelector(selector);
  return element instanceof kind ? element : undefined;
}
