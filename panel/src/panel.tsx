import { Icon } from "./components/icon.tsx";
import { Lazy } from "./components/lazy.tsx";
import { addressOf, route } from "./route.ts";
import { Shell } from "./shell.tsx";
import { TABS, type Tab } from "./tabs.ts";
import { texts } from "./texts/texts.ts";

/** The panel. */
export function Panel() {
  const current = TABS.find(({ id }) => id === route.value.tab) ?? TABS[0];
  return (
    <Shell home={addressOf(TABS[0].id)} navigation={<Tabs current={current} />}>
      <Lazy load={current.load} />
    </Shell>
  );
}

function Tabs({ current }: { current: Tab }) {
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
