import { useEffect } from "preact/hooks";

/** Names the page in the browser's tabs and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sealbook`;
  }, [title]);
}
