import { join } from "node:path";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";
import { fillPage } from "../server/panel/page.ts";

/** Where the server runs that `npm run panel -- dev` passes calls on to. */
const SERVER = process.env["SEALBOOK_URL"] ?? "http://127.0.0.1:8080";
const PAGES = { panel: "index.html", explorer: "explorer.html" };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: true }), pagesAsServed()],
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // A policy without `data:` for fonts and scripts, and files that a browser keeps for ever.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: Object.values(PAGES).map((page) => join(import.meta.dirname, page)),
      // Only the verifier names some, for where it runs without a browser.
      external: /^node:/,
    },
  },
  server: { proxy: { "/api": SERVER, "/explorer/api": SERVER } },
});

/**
 * While developing, the pages come as the server gives them: filled, and the explorer's at every path below its own.
 */
function pagesAsServed(): Plugin {
  return {
    name: "pages-as-served",
    apply: "serve",
    transformIndexHtml: (html) =>
      fillPage(html, { version: "dev", map: { tiles: undefined, readingMaxAgeMilliseconds: 21_600_000 } }),
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        if (/^\/explorer(?!\/api)(\/|\?|$)/.test(request.url ?? "")) request.url = `/${PAGES.explorer}`;
        next();
      });
    },
  };
}
