import { useEffect } from "preact/hooks";
import { texts } from "../texts/texts.ts";

/** Names the page in the browser's tabs and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sealbook ${texts.value.common.explorer}`;
  }, [title, texts.value]);
}
