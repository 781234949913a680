import type { ComponentChildren } from "preact";
import { ServerNotice } from "./server-notice.tsx";
import { LanguageChoice } from "./texts/language-choice.tsx";
import { texts } from "./texts/texts.ts";
import { ThemeSwitch } from "./theme/theme-switch.tsx";

/**
 * The frame of every view: the bar with the name, links, and the switches.
 * @param end Content at the end of the bar, before the switches
 */
export function Shell({
  navigation,
  end,
  children,
}: {
  navigation: ComponentChildren;
  end: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="shell">
      <a class="skip" href="#view" onClick={skip}>
        {texts.value.common.skip}
      </a>
      <header class="bar">
        <div class="bar-inside">
          <a class="brand" href="/">
            <img src="/seal.svg" alt="" width="28" height="28" />
            <span>Sealbook</span>
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

// Not by the address: it stays that of the view.
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}
