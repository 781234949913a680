import { assert } from "chai";
import { makeAuthority } from "../support/certificates.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce } from "../support/exactly-once.ts";
import { type RelayedNetwork, startRelayedNetwork } from "../support/bft/relayed-network.ts";
import { type Load, startLoad } from "../support/load.ts";
import { inParallel } from "../support/parallel.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";
import { FAST_RECHECK } from "../support/server.ts";
import { startTlsProxy } from "../support/tls-proxy.ts";

/** A server process with three nodes of a network of six. */
interface Scene {
  readonly network: RelayedNetwork;
  readonly server: ServerProcess;
  readonly load: Load;
  /** What the server says of each address, in their order. */
  addresses(): Promise<{ address: string; active: boolean; reachable: boolean; reason: string | null }[]>;
}

/** Plays a scene under load; what was accepted has to be on chain once afterwards. */
const underLoad =
  (urlsOf: (network: RelayedNetwork) => readonly string[], play: (scene: Scene) => Promise<void>) =>
  async (): Promise<void> => {
    const network = await startRelayedNetwork({ protocol: "qbft" });
    const variables = { ...network.variablesFor(urlsOf(network)), PROOF_WAIT: "5", BATCH_MAX_AGE: "1" };
    const server = await startProcess(network.directory, variables, FAST_RECHECK);
    try {
      const load = startLoad(server);
      await load.confirms(5);
      await play({
        network,
        server,
        load,
        addresses: async () => (await server.get("/api/v1/status")).body.node.addresses,
      });
      await load.confirms(10);
      await load.end();
      // Queried at an undisturbed node.
      await assertExactlyOnce(server, network.at(5).http, load);
    } finally {
      await server.end("SIGKILL");
      await network.stop();
    }
  };

const overHttp = ({ at }: RelayedNetwork): readonly string[] => [0, 1, 2].map((index) => at(index).http);

/** Waits until calls go to an address. */
const goesTo = ({ addresses }: Scene, index: number): Promise<void> =>
  eventually(async () =>
    assert.equal(
      (await addresses()).findIndex(({ active }) => active),
      index,
    ),
  );

describe("failover between nodes: every accepted proof is anchored once when the node in use", () => {
  inParallel({
    "fails, and the next one as well; then lags, and is disconnected from the others": underLoad(
      overHttp,
      async (scene) => {
        const { network, load, addresses } = scene;
        network.at(0).isUp = false;
        await goesTo(scene, 1);
        network.at(0).isUp = true;
        network.at(1).isUp = false;
        await eventually(async () =>
          assert.notEqual(
            (await addresses()).findIndex(({ active }) => active),
            1,
          ),
        );
        await load.confirms(5);
        network.at(1).isUp = true;

        const used = (await addresses()).findIndex(({ active }) => active);
        network.at(used).lag = 15;
        await eventually(async () => assert.match(String((await addresses())[used]?.reason), /^it lags \d+ blocks$/));
        await load.confirms(5);
        network.at(used).lag = 0;
        await eventually(async () => assert.isTrue((await addresses())[used]?.reachable));

        const next = (await addresses()).findIndex(({ active }) => active);
        assert.notEqual(next, used);
        network.partition([network.at(next)]);
        await eventually(async () => assert.isFalse((await addresses())[next]?.active));
        await load.confirms(5);
        network.partition();
      },
    ),
    "fails, and the others lag": underLoad(overHttp, async (scene) => {
      const { network, load, addresses } = scene;
      for (const index of [1, 2]) network.at(index).lag = 15;
      network.at(0).isUp = false;
      // Whichever of them has the newer block.
      await eventually(async () =>
        assert.oneOf(
          (await addresses()).findIndex(({ active }) => active),
          [1, 2],
        ),
      );
      await load.confirms(5);
      for (const index of [1, 2]) network.at(index).lag = 0;
    }),
    "has an expired certificate, which is reported": async () => {
      const directory = await temporaryDirectory();
      const authority = await makeAuthority(directory);
      const [expired, good, client] = [
        await authority.issue("expired", -1),
        await authority.issue("good"),
        await authority.issue("relayer"),
      ];
      const network = await startRelayedNetwork();
      const portOf = (index: number): number => Number(new URL(network.at(index).http).port);
      const [first, second] = [
        await startTlsProxy(portOf(0), expired, authority),
        await startTlsProxy(portOf(1), good, authority),
      ];
      const urls = [first, second].map(({ port }) => `https://127.0.0.1:${port}`);
      const tls = {
        RPC_TLS_CA_FILE: authority.certificateFile,
        RPC_TLS_CERT_FILE: client.certificateFile,
        RPC_TLS_KEY_FILE: client.keyFile,
      };
      const server = await startProcess(
        network.directory,
        { ...network.variablesFor(urls), ...tls, PROOF_WAIT: "20" },
        FAST_RECHECK,
      );
      try {
        const load = startLoad(server);
        await load.confirms(10);
        // A machine with much to do may take its node for gone at first.
        await eventually(async () => {
          const { addresses } = (await server.get("/api/v1/status")).body.node;
          assert.isDefined(addresses, "the node is down");
          assert.deepInclude(addresses[0], { active: false, reachable: false });
          assert.match(addresses[0].reason, /^no TLS connection to the node .*: certificate has expired$/);
          assert.deepInclude(addresses[1], { active: true, reachable: true, reason: null });
        });
        await eventually(async () => assert.include(server.output(), "switched to another node of the chain"));
        await eventually(async () => {
          const metrics = (await server.get("/metrics")).text;
          assert.include(metrics, `sealbook_rpc_up{address="${urls[0]}"} 0`);
          assert.include(metrics, `sealbook_rpc_active{address="${urls[1]}"} 1`);
          assert.include(metrics, `sealbook_rpc_block_number{address="${urls[1]}"}`);
        });
        first.show(good);
        await eventually(async () =>
          assert.isTrue((await server.get("/api/v1/status")).body.node.addresses[0].reachable),
        );
        second.show(expired);
        await load.confirms(10);
        await load.end();
        await assertExactlyOnce(server, network.at(5).http, load);
      } finally {
        await server.end("SIGKILL");
        await Promise.all([first.close(), second.close()]);
        await network.stop();
        await removeDirectory(directory);
      }
    },
  });
});
