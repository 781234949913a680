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
 * Renders the HTML fragments that the record store API returns (`component`). Escapes all external values. The panel
 * has views of its own.
 */
export function panelFragments(version: string, hasBot: boolean): PanelFragments {
  return {
    extensions: EXTENSIONS.filter(({ name }) => hasBot || name !== "bot").map((part) => ({ ...part, version })),

    login: ({ formToken }) => `<form autocomplete="on">
  <input type="hidden" name="tmpl_sesstoken" value="${escapeHtml(formToken)}">
  <label>Blockchain address
    <input name="login" autocomplete="username" required pattern="0x[0-9a-fA-F]{40}"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button type="button">Log in</button>
</form>
`,

    area: ({ account, token, secureKey, remaining, statistics, log, formToken }) => `<section>
  <input type="hidden" name="tmpl_sesstoken" value="${escapeHtml(formToken)}">
  <h2>Session</h2>
  <p>Session lifetime: <output name="session">${remaining}</output> s</p>
  <label>ASC token <input name="token" readonly value="${escapeHtml(token)}"></label>
  <dl>
    <dt>Account address</dt><dd><code>${escapeHtml(account)}</code></dd>
    <dt>Secure key</dt><dd><code>${escapeHtml(secureKey)}</code></dd>
  </dl>
  <h2>System</h2>
  <dl>${Object.entries(statistics)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`)
    .join("")}</dl>
  <h2>Log</h2>
  <ol>${log
    .map(({ time, message }) => `<li><time>${escapeHtml(time)}</time> ${escapeHtml(message)}</li>`)
    .join("")}</ol>
</section>
`,
  };
}
