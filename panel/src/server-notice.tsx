import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as z from "zod";
import { Notice } from "./components/notice.tsx";
import { texts } from "./texts/texts.ts";

/** Together less than the five seconds within which a reader knows. */
const INTERVAL_MILLISECONDS = 1_000;
const TIMEOUT_MILLISECONDS = 2_000;
/** What a proxy answers for a server that does not respond. */
const OF_PROXIES = [502, 504];

const Readiness = z.object({ node_responds: z.boolean() });

/** What does not respond; `undefined` when all does. */
const silent = signal<"server" | "chain" | undefined>(undefined);

/** Says on every page when the server, or the chain behind it, does not respond. */
export function ServerNotice() {
  useEffect(() => {
    let isMounted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      if (!document.hidden) silent.value = await silentPart();
      if (isMounted) timer = setTimeout(() => void look(), INTERVAL_MILLISECONDS);
    };
    void look();
    return () => {
      isMounted = false;
      clearTimeout(timer);
    };
  }, []);
  const { common } = texts.value;
  switch (silent.value) {
    case "server":
      return (
        <Notice kind="warning" title={common.serverSilent}>
          {common.serverSilentHelp}
        </Notice>
      );
    case "chain":
      return (
        <Notice kind="warning" title={common.chainSilent}>
          {common.chainSilentHelp}
        </Notice>
      );
    default:
      return null;
  }
}

async function silentPart(): Promise<"server" | "chain" | undefined> {
  try {
    const response = await fetch("/readyz", { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    if (OF_PROXIES.includes(response.status)) return "server";
    const state = Readiness.safeParse(await response.json().catch(() => undefined)).data;
    // A server that is not ready says what is wrong where it is asked.
    return state?.node_responds === false ? "chain" : undefined;
  } catch {
    return "server";
  }
}
