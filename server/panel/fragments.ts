import escapeHtml from "escape-html";
import type { PanelFragments } from "../domain/ports.ts";

/** The pieces of HTML that the record store API answers with. Everything that comes from outside is escaped. */
export function panelFragments(version: string): PanelFragments {
  return {
    extensions: [
      { name: "login", title: "Login", version },
      { name: "area", title: "Home", version },
    ],

    login: ({ formToken }) => `<form class="login" method="post" autocomplete="on">
  <input type="hidden" name="tmpl_sesstoken" value="${escapeHtml(formToken)}">
  <label>Blockchain address <input name="login" autocomplete="username" required pattern="0x[0-9a-fA-F]{40}"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button type="submit">Log in</button>
</form>
`,

    area: ({ account, token, secureKey, remaining, statistics, log, formToken }) => `<section class="area">
  <input type="hidden" name="tmpl_sesstoken" value="${escapeHtml(formToken)}">
  <label>ASC token <input name="token" readonly value="${escapeHtml(token)}"></label>
  <p>Session lifetime: <output name="session">${remaining}</output> s</p>
  <p>Account address: <code>${escapeHtml(account)}</code></p>
  <details><summary>Secure key</summary><code>${escapeHtml(secureKey)}</code></details>
  <dl class="stats">${Object.entries(statistics)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`)
    .join("")}</dl>
  <ol class="log">${log
    .map(({ time, level, message }) => {
      const line = `<time>${escapeHtml(time)}</time> ${escapeHtml(message)}`;
      return `<li class="${escapeHtml(level)}">${line}</li>`;
    })
    .join("")}</ol>
</section>
`,
  };
}
