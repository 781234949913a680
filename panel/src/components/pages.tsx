import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** Rows, and the cursor of those after them. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly next?: string | undefined;
}

/**
 * Shows the rows of a list, and a button for more.
 * @param first The first page
 * @param fetch Fetches the page at a cursor
 */
export function Pages<T>({
  first,
  fetch,
  children,
}: {
  first: Page<T>;
  fetch: (cursor: string) => Promise<Page<T>>;
  children: (rows: readonly T[], hasMore: boolean) => ComponentChildren;
}) {
  const list = useSignal(first);
  const state = useSignal<"" | "loading" | "failed">("");
  const { rows, next } = list.value;
  const load = async (): Promise<void> => {
    if (next === undefined) return;
    state.value = "loading";
    try {
      const page = await fetch(next);
      list.value = { rows: [...rows, ...page.rows], next: page.next };
      state.value = "";
    } catch {
      state.value = "failed";
    }
  };
  return (
    <>
      {children(rows, next !== undefined)}
      {next === undefined ? null : (
        <div>
          <Button free busy={state.value === "loading"} onClick={() => void load()}>
            {state.value === "failed" ? texts.value.explorer.retry : texts.value.explorer.more}
          </Button>
        </div>
      )}
    </>
  );
}
