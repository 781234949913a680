// npm selects optional packages by the Node version that runs npm, not by the project's Node. On an older Node it skips
// Hardhat's native EVM, so this script installs again with the project's Node. Inside a script `node` is the
// project's; npm's version comes from its user agent.
import { spawnSync } from "node:child_process";
import { isTooOld } from "./node-version.ts";

const GUARD = "SEALBOOK_POSTINSTALL";

const npmNode = /node\/(v\S+)/.exec(process.env["npm_config_user_agent"] ?? "")?.[1];
const npm = process.env["npm_execpath"];

if (npmNode !== undefined && npm !== undefined && isTooOld(npmNode) && process.env[GUARD] === undefined) {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_")),
  );
  const result = spawnSync(
    process.execPath,
    [npm, "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"],
    {
      env: { ...environment, [GUARD]: "1" },
      stdio: "inherit",
    },
  );
  process.exitCode = result.status ?? 1;
}
