import { useEffect } from "preact/hooks";
import { Empty } from "./components/empty.tsx";
import { Icon } from "./components/icon.tsx";
import { Lazy } from "./components/lazy.tsx";
import { Login } from "./login/login.tsx";
import { addressOf, route } from "./route.ts";
import { type Section, SECTIONS, sectionAt } from "./sections.ts";
import { SessionBar } from "./session/session-bar.tsx";
import { SessionNotices } from "./session/session-notices.tsx";
import { session } from "./session/session.ts";
import { Shell } from "./shell.tsx";
import { texts } from "./texts/texts.ts";

/** The application: its sections, or the login where one needs an account. */
export function Panel() {
  const account = session.current.value?.account;
  const current = sectionAt(route.value.path);
  return (
    <Shell navigation={<Sections current={current} />} end={<SessionBar />}>
      <div class="session-notices">{account === undefined ? null : <SessionNotices />}</div>
      <View current={current} account={account} />
    </Shell>
  );
}

function View({ current, account }: { current: Section | undefined; account: string | undefined }) {
  const { common, login } = texts.value;
  const isLocked = current?.needsAccount === true && account === undefined;
  const title = isLocked ? login.title : `${current?.title(texts.value) ?? common.noPage} · Sealbook`;
  // These have titles of their own.
  const isNamed = current?.id === "explorer" || current?.id === "proof";
  useEffect(() => void (isNamed || (document.title = title)), [title]);
  if (current === undefined)
    return (
      <Empty icon="search" title={common.noPage}>
        <p>{common.noPageHelp}</p>
      </Empty>
    );
  return isLocked ? <Login /> : <Lazy key={current.needsAccount ? account : ""} load={current.load} />;
}

function Sections({ current }: { current: Section | undefined }) {
  const { common } = texts.value;
  return (
    <nav class="tabs" aria-label={common.sections}>
      {SECTIONS.map((section) =>
        section.icon === undefined ? null : (
          <a
            key={section.id}
            href={addressOf(section.id)}
            aria-current={section.id === current?.id ? "page" : undefined}
          >
            <Icon name={section.icon} />
            <span>{section.title(texts.value)}</span>
          </a>
        ),
      )}
    </nav>
  );
}
