// Builds the web panel into panel/dist unless it is up to date.
// `npm run panel -- dev` serves it with live reload instead, next to a running server.
import { buildPanel } from "./panel/build.ts";

if (process.argv[2] === "dev") {
  const { createServer } = await import("vite");
  const server = await createServer({ configFile: "panel/vite.config.ts" });
  await server.listen();
  server.printUrls();
} else {
  const built = await buildPanel();
  if (built) console.log("The web panel was built.");
}
