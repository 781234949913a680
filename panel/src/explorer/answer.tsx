import type { ComponentChildren } from "preact";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { texts } from "../texts/texts.ts";
import type { Question } from "./asked.ts";
import { failureText } from "./failure-text.ts";

/** Shows the response to a query; before that, its progress or error. */
export function Answer<T>({
  of,
  missing,
  children,
}: {
  of: Question<T>;
  missing?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}) {
  const answer = of.asked.value;
  if (answer.state === "asking") return <Progress>{texts.value.common.loading}</Progress>;
  if (answer.state === "missing") return <>{missing}</>;
  if (answer.state === "there") return <>{children(answer.value)}</>;
  const { title, help } = failureText(answer.error);
  return (
    <div class="stack">
      <Notice kind="bad" title={title}>
        {help}
      </Notice>
      <div>
        <Button free onClick={of.again}>
          {texts.value.explorer.askAgain}
        </Button>
      </div>
    </div>
  );
}
