import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianProgram } from "./debian-program.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { request } from "./http.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** A real Alertmanager. */
export interface Alertmanager {
  /** The address for posting alerts. */
  readonly address: string;
  /** Returns the active alerts of its API. */
  alerts(): Promise<ParsedJson[]>;
  /** Returns the number of received alerts in a state. */
  received(state: "firing" | "resolved"): Promise<number>;
  /** Returns the number of invalid alerts that it received. */
  invalid(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts an Alertmanager that accepts alerts and has no receivers. */
export async function startAlertmanager(): Promise<Alertmanager> {
  const program = debianProgram("prometheus-alertmanager", "prometheus-alertmanager");
  const directory = await temporaryDirectory();
  const config = join(directory, "alertmanager.yml");
  await writeFile(config, 'route: { receiver: "nobody" }\nreceivers: [{ name: "nobody" }]\n');
  const url = `http://127.0.0.1:${await freePort()}`;
  const options = [
    `--config.file=${config}`,
    `--storage.path=${directory}`,
    `--web.listen-address=${new URL(url).host}`,
    "--cluster.listen-address=",
  ];
  // Ends with this process: the pipe closes at the end of the process, for any reason.
  const child = spawn("sh", ["-c", '"$0" "$@" & cat > /dev/null; kill $!; wait $!', program, ...options], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const exited = once(child, "exit");
  await eventually(async () => {
    if ((await request(`${url}/-/ready`)).status !== 200) throw new Error("Alertmanager is not ready");
  });
  const count = async (metric: RegExp): Promise<number> => {
    const lines = (await request(`${url}/metrics`)).text.split("\n").filter((line) => metric.test(line));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  return {
    address: `${url}/api/v2/alerts`,
    alerts: async () => (await request(`${url}/api/v2/alerts`)).body,
    received: (state) => count(new RegExp(`^alertmanager_alerts_received_total\\{status="${state}"`)),
    invalid: () => count(/^alertmanager_alerts_invalid_total/),
    async stop() {
      child.stdin.end();
      await exited;
      await removeDirectory(directory);
    },
  };
}
