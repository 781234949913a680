import { useSignal } from "@preact/signals";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { Progress } from "../components/progress.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { now } from "../session/clock.ts";
import { records, session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";

/** Opens a session of its own for another program; the panel does not renew it, so its token lasts. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const password = useSignal("");
  const opened = useSignal<{ readonly token: string; readonly endsAt: number } | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isWorking = useSignal(false);
  const { home: words, login } = texts.value;

  const open = async (event: Event) => {
    event.preventDefault();
    const account = session.current.value?.account;
    if (isWorking.value || account === undefined) return;
    isWorking.value = true;
    failure.value = undefined;
    try {
      const { tx, session: seconds } = (await records.auth(account, password.value)).tparams;
      opened.value = { token: tx, endsAt: Date.now() + 1_000 * seconds };
    } catch (error) {
      failure.value = error;
    } finally {
      password.value = "";
      isWorking.value = false;
    }
  };

  return (
    <Dialog title={words.ownToken} onClose={onClose}>
      <p class="muted">{words.ownTokenHelp}</p>
      {opened.value === undefined ? (
        <form class="stack" noValidate onSubmit={(event) => void open(event)}>
          <Field label={login.password}>
            {(control) => (
              <input
                {...control}
                type="password"
                autocomplete="current-password"
                value={password.value}
                onInput={(event) => (password.value = event.currentTarget.value)}
              />
            )}
          </Field>
          {failure.value === undefined ? null : <ErrorNotice error={failure.value} />}
          {isWorking.value ? <Progress>{login.progress.chain.title}</Progress> : null}
          <div class="row dialog-end">
            <Button free onClick={onClose}>
              {texts.value.common.cancel}
            </Button>
            <Button kind="main" type="submit" free busy={isWorking.value}>
              {words.ownTokenOpen}
            </Button>
          </div>
        </form>
      ) : (
        <OpenedToken {...opened.value} />
      )}
    </Dialog>
  );
}

function OpenedToken({ token, endsAt }: { token: string; endsAt: number }) {
  const { home: words } = texts.value;
  const left = Math.max(0, Math.floor((endsAt - now.value) / 1_000));
  return (
    <Field label={words.ownTokenLabel} hint={left === 0 ? words.tokenExpired : words.tokenEnds(left)}>
      {(control) => (
        <div class="joined">
          <input {...control} class="control control-mono" readOnly value={token} />
          <CopyButton text={token} label={words.copyOwnToken} />
        </div>
      )}
    </Field>
  );
}
