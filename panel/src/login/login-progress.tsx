import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Progress } from "../components/progress.tsx";
import { texts } from "../texts/texts.ts";

/** Logins longer than this no longer hash the password: the session is being written to the chain. */
const CHAIN_AFTER_SECONDS = 1;
const LONG_AFTER_SECONDS = 10;

/** Shows the progress of a login while the chain authorises it, and its duration. */
export function LoginProgress({ since }: { since: number }) {
  const seconds = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => (seconds.value = Math.floor((Date.now() - since) / 1000)), 250);
    return () => clearInterval(timer);
  }, [since]);
  const { progress } = texts.value.login;
  const step =
    seconds.value < CHAIN_AFTER_SECONDS
      ? progress.password
      : seconds.value < LONG_AFTER_SECONDS
        ? progress.chain
        : progress.long;
  return (
    <div class="login-progress stack">
      <Progress>
        <strong>{step.title}</strong>
        <p class="muted">{step.help}</p>
      </Progress>
      <p class="muted small number" aria-hidden="true">
        {texts.value.common.seconds(seconds.value)}
      </p>
    </div>
  );
}
