import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { DEFAULT_CONCURRENCY } from "../proofs/options.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { reportLines } from "../proofs/verify-files.ts";
import { EXIT_CODES } from "../../verifier/verify.mjs";
import { jsonPieces } from "../proofs/json-pieces.ts";
import { verifyNamed } from "../proofs/verify-named.ts";
import { printingFailures } from "./failures.ts";

/** `npx hardhat sealbook verify`; the network of `--network` has the chain. */
export default function verify(
  { files, proofs, json }: { readonly files: string[]; readonly proofs: string; readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  return printingFailures(async () => {
    const { networkConfig } = await hre.network.create();
    if (networkConfig.type !== "http") throw new CommandFailure("name the network of the chain: --network NAME");
    const rpc = await networkConfig.url.getUrl();
    const report = await verifyNamed(files, { rpc, proofs, concurrency: DEFAULT_CONCURRENCY });
    for (const piece of json ? jsonPieces(report) : reportLines(report, false)) process.stdout.write(piece);
    process.exitCode = EXIT_CODES[report.outcome];
  });
}
