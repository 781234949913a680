import type { TargetedEvent } from "preact";
import { useRef } from "preact/hooks";
import { CopyButton } from "../components/copy-button.tsx";
import { secondsLeft } from "../session/seconds-left.ts";
import { session } from "../session/session.ts";
import type { OpenSession } from "../session/session-store.ts";
import { texts } from "../texts/texts.ts";
import { TokenField } from "./token-field.tsx";

/** The session: its token, lifetime, account and secure key. */
export function SessionCard({ token, account }: OpenSession) {
  const { home: words } = texts.value;
  return (
    <div class="card stack session">
      <div class="row spread">
        <h2>{words.session}</h2>
        <Lifetime />
      </div>
      <TokenField token={token} />
      <dl class="facts">
        <dt>{words.account}</dt>
        <dd class="account">
          <code>{account}</code>
          <CopyButton text={account} label={words.copyAccount} />
        </dd>
        <dt>{words.secureKey}</dt>
        <dd>
          <SecureKey />
        </dd>
      </dl>
    </div>
  );
}

function Lifetime() {
  const { home: words } = texts.value;
  const left = secondsLeft();
  // An extended session can last longer than the initial one.
  const longest = useRef(left);
  longest.current = Math.max(longest.current, left);
  return (
    <>
      <p class="lifetime">
        <span class="muted">{words.lifetime}</span>{" "}
        <output class="number" name="session" aria-live="off">
          {left}
        </output>{" "}
        {words.seconds}
      </p>
      <progress class="remaining" max={longest.current} value={left} aria-hidden="true" />
    </>
  );
}

/** The key, on request. It is not stored across a reload; the next token includes it again. */
function SecureKey() {
  const renew = ({ currentTarget }: TargetedEvent<HTMLDetailsElement>) => {
    if (currentTarget.open && session.secureKey.value === undefined) void session.renew();
  };
  return (
    <details class="secure-key" onToggle={renew}>
      <summary>{texts.value.home.show}</summary>
      <code>{session.secureKey.value ?? texts.value.common.loading}</code>
    </details>
  );
}
