import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Progress } from "../components/progress.tsx";
import { texts } from "../texts/texts.ts";

/** After that it is not the password any more that takes its time: the session is being written to the chain. */
const CHAIN_AFTER_SECONDS = 1;
const LONG_AFTER_SECONDS = 10;

/** Says what happens while the chain authorises a login, and for how long it has. */
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
