import { assert } from "chai";
import { type RelayedNetwork, startRelayedNetwork } from "../support/bft/relayed-network.ts";
import { eventually } from "../support/eventually.ts";
import { startServer, type TestServer } from "../support/server.ts";

describe("the relayer on a network whose nodes do not name their peers, like GoQuorum", () => {
  let network: RelayedNetwork;
  let server: TestServer;
  before(async () => {
    // A rotation of the proposers takes longer than the test: the blocks cannot name who left.
    network = await startRelayedNetwork({ protocol: "qbft", blockPeriod: 1_000, requestTimeout: 600_000 });
    for (const { rpc } of network.nodes) for (const api of ["qbft", "admin", "net_enode"]) rpc.disabled.add(api);
    const variables = network.variablesFor(network.nodes.map(({ http }) => http));
    server = await startServer(variables, {
      directory: network.directory,
      overrides: { nodeIntervalMilliseconds: 150 },
    });
  });
  after(async () => {
    await server.stop("keep");
    await network.stop();
  });

  it("names two dead validators by the addresses of their nodes, when RPC_URL has all", async () => {
    const dead = [network.at(3), network.at(4)];
    for (const node of dead) node.isUp = false;
    await eventually(async () => {
      const { alerts } = (await server.get("/api/v1/alerts")).body;
      const raised: string[] = alerts
        .filter(({ alert, state }: Record<string, string>) => alert === "node_down" && state === "raised")
        .map(({ message }: { message: string }) => message);
      for (const { http } of dead)
        assert.isTrue(
          raised.some((message) => message.startsWith(`the node at ${http} is unavailable`)),
          raised.join("; "),
        );
    });
  });
});
