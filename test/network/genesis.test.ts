import { assert } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getBytes, hexlify, keccak256, Wallet } from "ethers";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { type BftProtocol, decodeExtraData } from "../../server/chain/evidence/consensus-seals.ts";
import { BlockHeader, encodeHeader } from "../../server/chain/evidence/block-header.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { gasLimitFor } from "../../network/plan.ts";
import { genesisExtraData, type GenesisFacts, genesisHash, genesisText } from "../../network/genesis.ts";
import { sealBlock, testValidators } from "../support/bft-chain.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { startRawAnvil } from "../support/raw-anvil.ts";
import gas from "../contracts/gas-snapshot.json" with { type: "json" };
import besuIbft2 from "../vectors/genesis/besu-ibft2.json" with { type: "json" };
import { BFT_RULES, GENESIS_CONFIG } from "./besu.ts";
import { makeNetwork, PLAN } from "./made-network.ts";
import { FEES } from "../support/fees.ts";

const PUBLISHED = {
  ibft2:
    "0xf853a00000000000000000000000000000000000000000000000000000000000000000ea94be068f726a13c8d46c44be6ce9d275600e17" +
    "35a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193808400000000c0",
  qbft:
    "0xf84fa00000000000000000000000000000000000000000000000000000000000000000ea94be068f726a13c8d46c44be6ce9d275600e17" +
    "35a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193c080c0",
} as const;
const PROTOCOLS: readonly BftProtocol[] = ["ibft2", "qbft"];
/** Not in ascending order: as they were published. */
const VALIDATORS = ["be068f726a13c8d46c44be6ce9d275600e1735a4", "5ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193"];

describe("genesis of a network", () => {
  const validators = [...testValidators(6).addresses].reverse();
  const facts = (consensus: BftProtocol) => ({
    plan: { ...PLAN, consensus },
    genesis: { timestamp: 1_795_298_786, validators },
  });
  const parsed = (consensus: BftProtocol) => JSON.parse(genesisText(facts(consensus)));

  for (const protocol of PROTOCOLS)
    describe(`of ${protocol}`, () => {
      it("has the published extra data, with the validators in ascending order", () => {
        const [first, second] = VALIDATORS as [string, string];
        const ascending = PUBLISHED[protocol].replace(`94${first}94${second}`, `94${second}94${first}`);
        for (const order of [VALIDATORS, [second, first]]) {
          assert.equal(
            genesisExtraData(
              protocol,
              order.map((validator) => `0x${validator.toUpperCase()}`.replace("0X", "0x")),
            ),
            ascending,
          );
        }
        assert.equal(parsed(protocol).extraData, genesisExtraData(protocol, [...validators].sort()));
      });

      it("has the hash of the protocol's first block", () => {
        const { config: _config, alloc: _alloc, coinbase, nonce: _nonce, ...file } = parsed(protocol);
        const header = {
          ...file,
          number: "0x0",
          parentHash: `0x${"00".repeat(32)}`,
          nonce: "0x0000000000000000",
          miner: coinbase,
          sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
          logsBloom: `0x${"00".repeat(256)}`,
          gasUsed: "0x0",
          ...Object.fromEntries(
            ["stateRoot", "transactionsRoot", "receiptsRoot"].map((root) => [
              root,
              "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
            ]),
          ),
        };
        const sorted = { keys: [], addresses: [...validators].sort() };
        const sealed = sealBlock(header, { protocol, validators: sorted, round: 0, signers: [] });
        assert.equal(sealed["extraData"], file.extraData);
        assert.equal(genesisHash(facts(protocol)), keccak256(encodeHeader(BlockHeader.parse(header))));
      });

      it("contains the fields that a node reads, and no others", () => {
        const { config, ...block } = parsed(protocol);
        assert.includeMembers(GENESIS_CONFIG, Object.keys(config));
        assert.includeMembers(BFT_RULES, Object.keys(config[protocol]));
        assert.notProperty(config, protocol === "ibft2" ? "qbft" : "ibft2");
        assert.deepInclude(config, { chainId: 7_330, londonBlock: 0, zeroBaseFee: true });
        assert.isAbove(config.contractSizeLimit, 24_576);
        assert.isAbove(config[protocol].requesttimeoutseconds, config[protocol].blockperiodseconds);
        assert.deepInclude(block, { gasLimit: "0x3dfd240", baseFeePerGas: "0x0", difficulty: "0x1", alloc: {} });
      });
    });

  it("has the hash that a running Besu returned for it", () => {
    const { genesis, block0Hash } = besuIbft2;
    const { chainId, ibft2 } = genesis.config;
    const network: GenesisFacts = {
      plan: {
        ...PLAN,
        ...{ consensus: "ibft2", chainId, gasLimit: Number(genesis.gasLimit) },
        ...{ blockPeriodSeconds: ibft2.blockperiodseconds, requestTimeoutSeconds: ibft2.requesttimeoutseconds },
      },
      genesis: {
        timestamp: Number(genesis.timestamp),
        validators: decodeExtraData("ibft2", getBytes(genesis.extraData)).validators.map(hexlify),
      },
    };
    assert.deepEqual(JSON.parse(genesisText(network)), genesis);
    assert.equal(genesisHash(network), block0Hash);
  });

  it("differs between networks: other validators, time or gas give another hash", () => {
    const { plan, genesis } = facts("qbft");
    const hashes = [
      genesisHash({ plan, genesis }),
      genesisHash({ plan: { ...plan, consensus: "ibft2" }, genesis }),
      genesisHash({ plan: { ...plan, gasLimit: 1 }, genesis }),
      genesisHash({ plan, genesis: { ...genesis, timestamp: 1 } }),
      genesisHash({ plan, genesis: { ...genesis, validators: validators.slice(1) } }),
    ];
    assert.lengthOf(new Set(hashes), hashes.length);
  });

  it("has a gas limit for the transactions of a block period", () => {
    for (const seconds of [3, 5, 12]) {
      assert.isAtLeast(
        gasLimitFor(seconds),
        seconds * 100 * (gas["EventTable.insert (425 bytes)"] + gas["ProofAnchor.anchor"]),
      );
    }
    assert.isAtLeast(gasLimitFor(1), 4 * gas["SessionRegistry (deployment)"]);
  });

  it("is followed by blocks with headers of the documented length", () => {
    const manual = readFileSync(join(import.meta.dirname, "../../docs/network.md"), "utf8").replaceAll(/\s+/g, " ");
    const { keys, addresses } = testValidators(6);
    const [hash, gasLimit] = [`0x${"11".repeat(32)}`, `0x${PLAN.gasLimit.toString(16)}`];
    const block = {
      parentHash: hash,
      sha3Uncles: hash,
      miner: addresses[0],
      stateRoot: hash,
      transactionsRoot: hash,
      receiptsRoot: hash,
      logsBloom: `0x${"00".repeat(256)}`,
      difficulty: "0x1",
      number: "0x4c4b40",
      gasLimit,
      gasUsed: "0x0",
      timestamp: "0x6b0215e2",
      mixHash: hash,
      nonce: "0x0000000000000000",
      baseFeePerGas: "0x0",
    };
    const [ibft, qbft] = PROTOCOLS.map((protocol) => {
      const sealed = sealBlock(block, { protocol, validators: { keys, addresses }, round: 0, signers: keys });
      return encodeHeader(BlockHeader.parse(sealed)).length.toLocaleString("en");
    });
    assert.include(manual, `is ${ibft} bytes (IBFT 2.0) or ${qbft} (QBFT)`);
    for (const seconds of [3, 5, 12]) assert.include(manual, `${gasLimitFor(seconds) / 1e6} `);
  });

  it("creates a chain on which contracts run without fees", async () => {
    const directory = await temporaryDirectory();
    const { network } = await makeNetwork(directory);
    const { chainId, gasLimit } = network.plan;
    const anvil = await startRawAnvil(0, "london", {
      file: join(directory, "network/dc-1/besu/genesis.json"),
      chainId,
      gasLimit,
    });
    const rpc = connectRpc(anvil.http, chainId);
    try {
      const block = await rpc.call("eth_getBlockByNumber", ["0x0", false]);
      // It takes the validators for nothing, and leaves them out.
      assert.deepInclude(block, { timestamp: JSON.parse(genesisText(network)).timestamp, baseFeePerGas: "0x0" });
      const [administrator, relayer] = [Wallet.createRandom(), Wallet.createRandom()];
      const { contracts } = await deploy({
        rpc,
        administrator,
        relayer: relayer.address,
        lifetime: 60,
        minimumToExtend: 15,
        fees: FEES,
        file: deploymentFile(directory, chainId),
        onDeployed: () => undefined,
      });
      for (const address of Object.values(contracts))
        assert.match(String(await rpc.call("eth_getCode", [address, "latest"])), /^0x[0-9a-f]{100,}$/);
      const latest = await rpc.call("eth_getBlockByNumber", ["latest", false]);
      assert.deepInclude(latest, { gasLimit: `0x${gasLimit.toString(16)}`, baseFeePerGas: "0x0" });
      assert.equal(await rpc.call("eth_getBalance", [administrator.address, "latest"]), "0x0");
    } finally {
      rpc.close();
      await anvil.stop();
      await removeDirectory(directory);
    }
  });
});
