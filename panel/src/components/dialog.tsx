import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** A modal dialog; the browser keeps the focus in it and closes it with Escape. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <div class="row spread">
          <h2 id={id}>{title}</h2>
          <Button kind="quiet" icon="close" label={texts.value.common.close} free onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  );
}
