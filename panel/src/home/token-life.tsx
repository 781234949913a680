import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { now } from "../session/clock.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { TokenDialog } from "./token-dialog.tsx";

/** The remaining life of a copy of the panel's token, and the way to one that the panel does not replace. */
export function TokenLife() {
  const isOpen = useSignal(false);
  const open = session.current.value;
  if (open === undefined) return null;
  const { home: words } = texts.value;
  const renewAt = session.isPaused.value ? null : open.renewAt;
  const left = Math.max(0, Math.floor(((renewAt ?? open.endsAt) - now.value) / 1_000));
  return (
    <div class="row spread">
      <span class="hint number">{renewAt === null ? words.tokenEnds(left) : words.tokenReplaced(left)}</span>
      <Button free onClick={() => (isOpen.value = true)}>
        {words.ownToken}
      </Button>
      {isOpen.value ? <TokenDialog onClose={() => (isOpen.value = false)} /> : null}
    </div>
  );
}
