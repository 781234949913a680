import type { ComponentChildren } from "preact";
import { ServerNotice } from "./server-notice.tsx";
import { LanguageChoice } from "./texts/language-choice.tsx";
import { texts } from "./texts/texts.ts";
import { ThemeSwitch } from "./theme/theme-switch.tsx";

/**
 * The frame of every view: the bar with the name, links, and the switches.
 * @param home Target of the name
 * @param part Text next to the name
 * @param end Content at the end of the bar, before the switches
 */
export function Shell({
  home,
  part,
  navigation,
  end,
  children,
}: {
  home: string;
  part?: string;
  navigation?: ComponentChildren;
  end?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="shell">
      <a class="skip" href="#view" onClick={skip}>
        {texts.value.common.skip}
      </a>
      <header class="bar">
        <div class="bar-inside">
          <a class="brand" href={home}>
            <img src="/seal.svg" alt="" width="28" height="28" />
            <span>Sealbook {part === undefined ? null : <small>{part}</small>}</span>
          </a>
          {navigation}
          <div class="bar-end">
            {end}
            <LanguageChoice />
            <ThemeSwitch />
          </div>
        </div>
      </header>
      <main class="view" id="view" tabIndex={-1}>
        <div class="server-notice">
          <ServerNotice />
        </div>
        {children}
      </main>
    </div>
  );
}

// Not by the address: its `#` part is the tab.
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}
