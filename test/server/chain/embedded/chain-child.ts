// Runs a chain under load until it is killed; prints every block it has seen through the JSON-RPC port.
import { startEmbeddedChain } from "../../../../server/chain/embedded/embedded-chain.ts";
import { Account, block, CHAIN_ID, rpc, send } from "./support.ts";

const [directory = "", privateKeys = "", load = "load"] = process.argv.slice(2);

const chain = await startEmbeddedChain({
  directory,
  port: 0,
  blockPeriodSeconds: 0,
  chainId: CHAIN_ID,
  portSends: true,
});
let printed = Promise.resolve();
chain.onBlock((number) => {
  printed = printed.then(async () => {
    const { hash, timestamp, transactions } = await block(chain.url, number);
    process.stdout.write(`${JSON.stringify({ number, hash, timestamp, transactions })}\n`);
  });
});
process.stdout.write(`${JSON.stringify({ url: chain.url })}\n`);
if (load === "load") {
  await Promise.all(
    privateKeys.split(",").map(async (key) => {
      const account = new Account(key);
      account.nonce = Number(await rpc(chain.url, "eth_getTransactionCount", account.wallet.address, "latest"));
      if (account.nonce === 0) await send(chain.url, await account.deploy());
      for (;;) await send(chain.url, await account.record(account.nonce));
    }),
  );
}
