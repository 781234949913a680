import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { fillPage } from "../server/panel/page.ts";

/** The server to which `npm run panel -- dev` forwards calls. */
const SERVER = process.env["SEALBOOK_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [pageAsServed()],
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // The policy allows no `data:` for fonts and scripts, and browsers cache separate files without a limit.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: join(import.meta.dirname, "index.html"),
      // Only the verifier imports some, on its command line.
      external: /^node:/,
    },
  },
  server: { proxy: { "/api": SERVER, "/explorer/api": SERVER, "/openapi.json": SERVER } },
});

/** During development, fills the page as the server does; Vite serves it at every address. */
function pageAsServed(): Plugin {
  return {
    name: "page-as-served",
    apply: "serve",
    transformIndexHtml: (html) =>
      fillPage(html, { version: "dev", map: { tiles: undefined, readingMaxAgeMilliseconds: 21_600_000 } }),
  };
}
