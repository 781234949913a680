import { texts } from "../texts/texts.ts";
import { CopyButton } from "./copy-button.tsx";

/** A preformatted text that can be copied. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={`${texts.value.common.copy}: ${label}`} />
    </div>
  );
}
