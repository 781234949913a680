import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { latencyDetails } from "../load/latencies.ts";
import { postSingles } from "../load/posts.ts";
import type { Bench } from "../run/bench.ts";
import { startServing } from "../run/processes.ts";
import { startSealbook } from "../run/sealbook.ts";

const SCRIPT = join(import.meta.dirname, "../baselines/bare-route.ts");
const CLIENTS = 512;

/** The figure that Sealbook's is compared with. */
export const BARE_512 = "Express alone, 512 clients";

/** Measures a route that only reads the body and responds, under the same load. */
export async function bare({ report, root, seconds, warmUpSeconds }: Bench): Promise<void> {
  const responseFile = join(root, "response.json");
  await writeFile(responseFile, await confirmedResponse(root));
  const ready = /^listens on (\S+)$/m;
  await using server = await startServing({
    script: SCRIPT,
    parameters: [responseFile],
    log: join(root, "bare.log"),
    ready,
  });
  const figures = await postSingles(server.url, {
    label: `bare: ${BARE_512}`,
    clients: CLIENTS,
    warmUpSeconds,
    seconds,
  });
  report.add({
    section: "bare",
    name: BARE_512,
    value: figures.perSecond,
    unit: "responses/s",
    details: latencyDetails(figures),
  });
}

/** Returns a response of Sealbook under this load: its size depends on the number of proofs per transaction. */
async function confirmedResponse(root: string): Promise<string> {
  await using server = await startSealbook(root);
  const { sample } = await postSingles(server.url, {
    label: "bare: a response to copy",
    clients: CLIENTS,
    warmUpSeconds: 1,
    seconds: 3,
  });
  return sample;
}
