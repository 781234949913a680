import { useEffect } from "preact/hooks";
import { Empty } from "./components/empty.tsx";
import { Icon } from "./components/icon.tsx";
import { Lazy } from "./components/lazy.tsx";
import { Login } from "./login/login.tsx";
import { addressOf, route } from "./route.ts";
import { SessionBar } from "./session/session-bar.tsx";
import { SessionNotices } from "./session/session-notices.tsx";
import { session } from "./session/session.ts";
import { Shell } from "./shell.tsx";
import { TABS, type Tab } from "./tabs.ts";
import { texts } from "./texts/texts.ts";

/** The panel: the login, then the tabs. */
export function Panel() {
  const home = addressOf(TABS[0].id);
  const account = session.current.value?.account;
  const { tab } = route.value;
  const current = tab === "" ? TABS[0] : TABS.find(({ id }) => id === tab);
  const { noPage, noPageHelp } = texts.value.common;
  const title = account === undefined ? texts.value.login.title : `${current?.title(texts.value) ?? noPage} · Sealbook`;
  useEffect(() => void (document.title = title), [title]);
  if (account === undefined)
    return (
      <Shell home={home}>
        <Login />
      </Shell>
    );
  return (
    <Shell home={home} navigation={<Tabs current={current} />} end={<SessionBar />}>
      <div class="session-notices">
        <SessionNotices />
      </div>
      {current === undefined ? (
        <Empty icon="search" title={noPage}>
          <p>{noPageHelp}</p>
        </Empty>
      ) : (
        <Lazy key={account} load={current.load} />
      )}
    </Shell>
  );
}

function Tabs({ current }: { current: Tab | undefined }) {
  return (
    <nav class="tabs" aria-label={texts.value.common.sections}>
      {TABS.map((tab) => (
        <a key={tab.id} href={addressOf(tab.id)} aria-current={tab === current ? "page" : undefined}>
          <Icon name={tab.icon} />
          <span>{tab.title(texts.value)}</span>
        </a>
      ))}
    </nav>
  );
}
