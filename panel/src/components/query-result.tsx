import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { ClientError } from "../../../client/errors.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Progress } from "./progress.tsx";
import { texts } from "../texts/texts.ts";
import type { Query } from "./query.ts";
import { AccessField } from "../access/access-field.tsx";

/** Shows the result of a query; before that, its progress or error. */
export function QueryResult<T>({
  of,
  missing,
  children,
}: {
  of: Query<T>;
  missing?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}) {
  const result = of.state.value;
  if (result.state === "loading") return <Progress>{texts.value.common.loading}</Progress>;
  if (result.state === "missing") return <>{missing}</>;
  if (result.state === "loaded") return <>{children(result.value)}</>;
  return (
    <div class="stack">
      <ErrorNotice error={result.error} />
      {result.error instanceof ClientError && result.error.code === "unauthorized" ? <AccessField /> : null}
      <div>
        <Button free onClick={of.retry}>
          {texts.value.explorer.retry}
        </Button>
      </div>
    </div>
  );
}
