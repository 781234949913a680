import { assert } from "chai";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { authorityOf, importKey } from "../../network/authority.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import { startRawAnvil } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer } from "../support/server.ts";
import { startTlsProxy, type TlsProxy } from "../support/tls-proxy.ts";
import { makeNetwork } from "./made-network.ts";

describe("relayer of a network", function () {
  let temporary: string;
  let directory: string;
  let chain: RemoteChain;
  let node: TlsProxy;
  before(async () => {
    temporary = await temporaryDirectory();
    directory = join(temporary, "network");
    const {
      network: { plan },
    } = await makeNetwork(temporary);
    chain = await startRemoteChain(async () => {
      const anvil = await startRawAnvil(0, "london", { file: join(directory, "dc-1/besu/genesis.json"), ...plan });
      return { chainId: anvil.chainId, url: anvil.http, stop: () => anvil.stop() };
    });
    const certificate = await readFile(join(directory, "authority/ca.pem"), "utf8");
    const authority = authorityOf(
      certificate,
      await importKey(await readFile(join(directory, "authority/ca.key"), "utf8")),
    );
    const shown = await authority.issue({ name: "dc-1", usage: "server", addresses: ["127.0.0.1"] });
    node = await startTlsProxy(Number(new URL(chain.url).port), shown, { certificate });
  });
  after(async () => {
    await node.close();
    await chain.close();
    await removeDirectory(temporary);
  });

  it("creates proofs with the configuration of its folder, over TLS, on a chain of the network's genesis", async () => {
    const lines = (await readFile(join(directory, "relayer/relayer.env"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s).slice(0, 2));
    const variables = Object.fromEntries(
      lines.map(([name, value = ""]) => [name, value.replace("/etc/sealbook", join(directory, "relayer"))]),
    );
    const server = await startServer(
      { ...variables, ...chain.variables, RPC_URL: `https://127.0.0.1:${node.port}`, PROOF_WAIT: "60" },
      { directory: chain.directory },
    );
    const accepted = freshDocuments(3);
    assert.equal((await server.post("/api/v1/proof/batch", { documents: accepted })).status, 201);
    await assertExactlyOnce(server, chain.url, { accepted });
    await server.stop("keep");
  });
});
