import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { AbiCoder } from "ethers";
import { matchCode } from "../../../scripts/deploy/origin.ts";
import { type ContractExplorer, startContractExplorer } from "../../support/contract-explorer.ts";
import { type RemoteChain, startRemoteChain } from "../../support/remote-chain.ts";
import { rpcCall } from "../../support/rpc.ts";
import { SURROUNDINGS } from "../../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../../..");
const CLI = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };

interface CompilerOutput {
  readonly contracts: Record<
    string,
    Record<
      string,
      {
        evm: {
          deployedBytecode: {
            object: string;
            immutableReferences: Record<string, { start: number; length: number }[]>;
          };
        };
      }
    >
  >;
}

describe("hardhat verify", () => {
  let chain: RemoteChain;
  let explorer: ContractExplorer;
  let deployment: {
    readonly chainId: number;
    readonly contracts: Record<string, string>;
    readonly deployed: Record<string, { readonly constructorArguments: readonly string[] }>;
  };

  before(async () => {
    chain = await startRemoteChain();
    explorer = await startContractExplorer();
    const chainId = Number(await rpcCall(chain.url, "eth_chainId"));
    deployment = JSON.parse(readFileSync(join(chain.directory, "deployments", `${chainId}.json`), "utf8"));
  });
  after(async () => {
    await explorer?.stop();
    await chain?.close();
  });

  async function verify(provider: string, ...parameters: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [CLI, "verify", provider, "--network", "remote", ...parameters], {
      cwd: ROOT,
      env: {
        ...SURROUNDINGS,
        RPC_URL: chain.url,
        CHAIN_ID: String(deployment.chainId),
        BLOCKSCOUT_URL: explorer.url,
        ETHERSCAN_URL: explorer.url,
        SOURCIFY_URL: explorer.url,
        ETHERSCAN_API_KEY: "the-key",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.include(out, "Contract verified successfully", `${out}${err}`);
  }

  for (const [provider, name, types] of [
    ["blockscout", "SessionRegistry", ["address", "uint48", "address", "uint32", "uint32"]],
    ["etherscan", "ProofAnchor", ["address", "uint48", "address"]],
    ["sourcify", "EventTable", undefined],
  ] as const)
    it(`gives ${provider} what compiles to the code on chain, from the deployment's file`, async () => {
      const address = deployment.contracts[name] ?? "";
      const values = deployment.deployed[name]?.constructorArguments ?? [];
      await verify(provider, address, ...values);
      const received = explorer.received.at(-1) ?? assert.fail();
      assert.equal(received.address, address);
      assert.match(received.compiler, /^v?0\.8\.37\+commit\./);
      if (types !== undefined)
        assert.equal(`0x${received.constructorArguments}`, AbiCoder.defaultAbiCoder().encode(types, values));
      assert.equal(received.key, provider === "etherscan" ? "the-key" : undefined);

      const { contracts } = JSON.parse(solc.compile(JSON.stringify(received.input))) as CompilerOutput;
      const separator = received.contract.lastIndexOf(":");
      const [file, contract] = [received.contract.slice(0, separator), received.contract.slice(separator + 1)];
      assert.equal(contract, name);
      const { object, immutableReferences } = contracts[file]?.[name]?.evm.deployedBytecode ?? assert.fail();
      const code = String(await rpcCall(chain.url, "eth_getCode", address, "latest"));
      assert.equal(matchCode(code, { deployedBytecode: `0x${object}`, immutableReferences }), "same");
    });
});
