import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the offline page lies in the built panel. */
export const OFFLINE_PAGE = "offline.html";

/**
 * Builds the offline page: the verification as one file, which loads nothing. Its policy allows only its own script and
 * style, and the workers that the script makes.
 * @param panel The folder of the panel's sources
 */
export async function offlinePage(panel: string): Promise<string> {
  const { build } = await import("vite");
  const result = await build({
    configFile: false,
    root: panel,
    logLevel: "error",
    build: {
      target: "es2023",
      write: false,
      cssCodeSplit: false,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: join(panel, "src/offline/main.tsx"),
        external: /^node:/,
        output: { codeSplitting: false },
      },
    },
  });
  const output = [result].flat().flatMap((each) => ("output" in each ? each.output : []));
  const scripts = output.flatMap((file) => (file.type === "chunk" ? [file.code] : []));
  const styles = output.flatMap((file) =>
    file.type === "asset" && file.fileName.endsWith(".css") ? [file.source] : [],
  );
  const [script, ...others] = scripts;
  if (script === undefined || others.length > 0 || scripts.length + styles.length !== output.length)
    throw new Error(`the offline page has files of its own: ${output.map(({ fileName }) => fileName).join(", ")}`);
  // The end of a script or a comment in a text would end the page's script.
  const code = script.replace(/<\/script/gi, "<\\/script").replaceAll("<!--", "<\\!--");
  const style = styles.join("\n");
  const policy =
    `default-src 'none'; script-src ${hashOf(code)} 'wasm-unsafe-eval'; worker-src blob:; ` +
    `style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
  const template = await readFile(join(panel, "offline.html"), "utf8");
  // Functions, because replacement texts interpret dollar signs.
  return template
    .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`)
    .replace("<!--style-->", () => `<style>${style}</style>`)
    .replace("<!--script-->", () => `<script type="module">${code}</script>`);
}

function hashOf(content: string): string {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}
