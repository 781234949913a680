import type { Step } from "../../../verifier/verify.mjs";
import { Icon } from "../components/icon.tsx";
import { language, texts } from "../texts/texts.ts";
import "./verify.css";

/** The steps of the verifier, each with what it proves and assumes, up to the one that failed. */
export function StepList({ steps }: { steps: readonly Step[] }) {
  const { verify: words } = texts.value;
  // The verifier speaks English; in another language its words are the detail.
  const isEnglish = language.value.startsWith("en");
  return (
    <ol class="checks">
      {steps.map((step, index) => {
        const { title, proves, assumes, reason } = words.step(step);
        return (
          <li key={index} class={step.ok ? "check-good" : "check-bad"}>
            <Icon name={step.ok ? "check" : "close"} size={18} />
            <div>
              <strong>{title}</strong> <span class="visually-hidden">{step.ok ? words.passed : words.failed}</span>
              {step.ok ? (
                <p class="small muted">
                  {words.proves} {proves}. {words.assumes} {assumes}.
                </p>
              ) : (
                <>
                  <p class="small">{reason}</p>
                  {isEnglish ? null : (
                    <p class="small muted" lang="en">
                      {step.reason}
                    </p>
                  )}
                </>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
