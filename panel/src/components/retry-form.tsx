import type { ComponentChildren } from "preact";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/**
 * An error, and a way to try again.
 * @param children What the next attempt needs, such as a key
 */
export function RetryForm({
  error,
  kind = "bad",
  onRetry,
  children,
}: {
  error: unknown;
  kind?: "bad" | "warning";
  onRetry: () => void;
  children?: ComponentChildren;
}) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onRetry();
      }}
    >
      <ErrorNotice kind={kind} error={error} />
      {children}
      <div>
        <Button free type="submit">
          {texts.value.explorer.retry}
        </Button>
      </div>
    </form>
  );
}
