import { CopyButton } from "../components/copy-button.tsx";
import { texts } from "../texts/texts.ts";
import "./hash.css";
import { shortened } from "../format/shortened.ts";

/** A hash or an address: short in lists, in full on its own page; with an optional link and copy button. */
export function Hash({
  value,
  href,
  whole = false,
  copy = false,
}: {
  value: string;
  href?: string;
  whole?: boolean;
  copy?: boolean;
}) {
  const text = whole ? value : shortened(value);
  const shown =
    href === undefined ? (
      <span class="mono" title={value}>
        {text}
      </span>
    ) : (
      <a class="mono" href={href} title={value}>
        {text}
      </a>
    );
  return copy ? (
    <span class="hash">
      {shown}
      <CopyButton text={value} label={`${texts.value.common.copy}: ${shortened(value)}`} />
    </span>
  ) : (
    shown
  );
}
