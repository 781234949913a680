import { useSignal } from "@preact/signals";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { copyText } from "./clipboard.ts";

const SHOWN_MILLISECONDS = 2_000;

/** Copies a text and confirms it. */
export function CopyButton({
  text,
  label,
  free = true,
}: {
  text: string | (() => string);
  label: string;
  free?: boolean;
}) {
  const copied = useSignal(false);
  const copy = async () => {
    copied.value = await copyText(typeof text === "string" ? text : text());
    setTimeout(() => (copied.value = false), SHOWN_MILLISECONDS);
  };
  return (
    <>
      <Button
        kind="quiet"
        icon={copied.value ? "check" : "copy"}
        label={label}
        free={free}
        onClick={() => void copy()}
      />
      <span class="visually-hidden" role="status">
        {copied.value ? texts.value.common.copied : ""}
      </span>
    </>
  );
}
