// Builds the web panel into panel/dist, unless what is there was built from the same sources.
// `npm run panel -- dev` serves it instead, with every change shown at once, beside a server that runs already.
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
