import type { ComponentChildren } from "preact";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { texts } from "../texts/texts.ts";
import type { Query } from "./query.ts";
import { AccessField } from "../access/access-field.tsx";
import { failureText, isUnauthorized } from "./failure-text.ts";

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
  const { title, help } = failureText(result.error);
  return (
    <div class="stack">
      <Notice kind="bad" title={title}>
        {help}
      </Notice>
      {isUnauthorized(result.error) ? <AccessField /> : null}
      <div>
        <Button free onClick={of.retry}>
          {texts.value.explorer.retry}
        </Button>
      </div>
    </div>
  );
}
