import escapeHtml from "escape-html";
import type { PanelFragments } from "../sessions/index.ts";

/** The parts of the panel, and the bot. */
const EXTENSIONS = [
  { name: "records", title: "Records" },
  { name: "map", title: "Map" },
  { name: "decode", title: "Decode" },
  { name: "proofs", title: "Proofs" },
  { name: "explorer", title: "Explorer" },
  { name: "bot", title: "Telegram bot" },
] as const;

/**
 * Renders the HTML fragments that the record store API returns and the panel displays. Escapes all external values.
 * The panel translates elements with `data-text` and locates the others by `name` and `data-part`.
 */
export function panelFragments(version: string, hasBot: boolean): PanelFragments {
  return {
    extensions: EXTENSIONS.filter(({ name }) => hasBot || name !== "bot").map((part) => ({ ...part, version })),

    login: ({ formToken }) => `<form class="login stack" method="post" autocomplete="on">
  <input type="hidden" name="tmpl_sesstoken" value="${escapeHtml(formToken)}">
  <div class="field">
    <label for="login-address" data-text="login.address">Blockchain address</label>
    <input class="control control-mono" id="login-address" name="login" autocomplete="username" autocapitalize="off"
      spellcheck="false" placeholder="0x…" required pattern="0x[0-9a-fA-F]{40}">
  </div>
  <div class="field">
    <label for="login-password" data-text="login.password">Password</label>
    <input class="control" id="login-password" name="password" type="password" autocomplete="current-password" required>
  </div>
  <button class="button button-main" type="submit" data-text="login.submit">Log in</button>
</form>
`,

    area: ({ account, token, secureKey, remaining, statistics, log, formToken }) => `<section class="area">
  <input type="hidden" name="tmpl_sesstoken" value="${escapeHtml(formToken)}">
  <div class="card stack session">
    <div class="row spread">
      <h2 data-text="home.session">Session</h2>
      <p class="lifetime"><span class="muted" data-text="home.lifetime">Session lifetime:</span> <output
        class="number" name="session" aria-live="off">${remaining}</output> <span data-text="home.seconds">s</span></p>
    </div>
    <progress class="remaining" data-part="remaining" max="${remaining}" value="${remaining}"
      aria-hidden="true"></progress>
    <div class="field">
      <label for="asc-token">ASC token</label>
      <div class="joined" data-part="token">
        <input class="control control-mono" id="asc-token" name="token" readonly value="${escapeHtml(token)}">
      </div>
      <div data-part="token-life"></div>
    </div>
    <dl class="facts">
      <dt data-text="home.account">Account address</dt>
      <dd data-part="account"><code>${escapeHtml(account)}</code></dd>
      <dt data-text="home.secureKey">Secure key</dt>
      <dd><details data-part="secure-key"><summary
        data-text="home.show">Show</summary><code>${escapeHtml(secureKey)}</code></details></dd>
    </dl>
  </div>
  <div class="stack">
    <h2 data-text="home.statistics">System</h2>
    <dl class="stats">${Object.entries(statistics)
      .map(
        ([name, value]) =>
          `<div><dt data-text="home.stats.${escapeHtml(name)}">${escapeHtml(name)}</dt><dd class="number"
            data-part="stat-${escapeHtml(name)}">${value}${name === "uptime" ? " s" : ""}</dd></div>`,
      )
      .join("")}</dl>
  </div>
  <div class="stack">
    <h2 data-text="home.log">Log</h2>
    <ol class="log card">${log
      .map(({ time, level, message }) => {
        const line = `<time class="number"
          datetime="${escapeHtml(time)}">${escapeHtml(time)}</time> <span>${escapeHtml(message)}</span>`;
        return `<li class="${escapeHtml(level)}">${line}</li>`;
      })
      .join("")}</ol>
  </div>
</section>
`,
  };
}
