import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { texts } from "../texts/texts.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";
import { Progress } from "./progress.tsx";

/** A part that is loaded when it is first shown. */
export type Load = () => Promise<{ readonly default: ComponentType }>;

/** Loads and shows a part. */
export function Lazy({ load }: { load: Load }) {
  const part = useSignal<{ readonly Component?: ComponentType; readonly failed?: true; readonly of?: Load }>({});
  useEffect(() => {
    let isMounted = true;
    load().then(
      (module) => isMounted && (part.value = { Component: module.default, of: load }),
      () => isMounted && (part.value = { failed: true, of: load }),
    );
    return () => void (isMounted = false);
  }, [load]);
  const { Component, failed, of } = part.value;
  if (of !== load) return <Progress>{texts.value.common.loading}</Progress>;
  if (Component !== undefined) return <Component />;
  return failed === true ? (
    <div class="stack">
      <Notice kind="bad" title={texts.value.common.notLoaded}>
        {texts.value.common.notLoadedHelp}
      </Notice>
      <div>
        <Button free onClick={() => location.reload()}>
          {texts.value.common.reload}
        </Button>
      </div>
    </div>
  ) : null;
}
