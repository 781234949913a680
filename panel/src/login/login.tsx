import { useSignal } from "@preact/signals";
import { Notice } from "../components/notice.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { type Ending, IDLE_MINUTES } from "../session/panel-session.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { type Credentials, LoginForm } from "./login-form.tsx";
import { LoginProgress } from "./login-progress.tsx";
import "./login.css";

/** The login; after an ended session with the reason. */
export function Login() {
  const since = useSignal<number | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const { login } = texts.value;
  const logIn = async ({ address, password }: Credentials) => {
    failure.value = undefined;
    since.value = Date.now();
    try {
      await session.logIn(address, password);
    } catch (error) {
      failure.value = error;
    } finally {
      since.value = undefined;
    }
    // The form was hidden and lost the focus.
    if (failure.value !== undefined)
      requestAnimationFrame(() => document.querySelector<HTMLInputElement>("[name=password]")?.focus());
  };
  return (
    <div class="login-view">
      <div class="login-words stack">
        <h1>{login.title}</h1>
        <p class="muted">{login.lead}</p>
      </div>
      <div class="card stack">
        {since.value === undefined && failure.value === undefined ? <Ended ending={session.ending.value} /> : null}
        {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
        <div hidden={since.value !== undefined}>
          <LoginForm onSubmit={(credentials) => void logIn(credentials)} />
        </div>
        {since.value === undefined ? null : <LoginProgress since={since.value} />}
      </div>
      <p class="login-help muted small">
        {login.help} <a href="/verify">{login.verify}</a>
      </p>
    </div>
  );
}

function Ended({ ending }: { ending: Ending | undefined }) {
  const { endings } = texts.value.login;
  switch (ending) {
    case "closed":
      return <Notice kind="good">{endings.closed}</Notice>;
    case "closed_elsewhere":
      return <Notice>{endings.closedElsewhere}</Notice>;
    case "expired":
      return (
        <Notice kind="warning" title={endings.expired}>
          {endings.again}
        </Notice>
      );
    case "idle":
      return (
        <Notice kind="warning" title={endings.idle(IDLE_MINUTES)}>
          {endings.again}
        </Notice>
      );
    case "rejected":
      return (
        <Notice kind="warning" title={endings.rejected}>
          {endings.again}
        </Notice>
      );
    default:
      return null;
  }
}
