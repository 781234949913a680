import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { assert } from "chai";
import { Wallet } from "ethers";
import { EMBEDDED_CHAIN_ID } from "../../server/composition/embedded-chain.ts";
import { anvilPid } from "../support/anvil-process.ts";
import { eventually } from "../support/eventually.ts";
import { startServer, type TestServer } from "../support/server.ts";

const REFUSED = -32_601;
/** Runs until its gas is used: a label, and a jump to it. */
const ENDLESS_CODE = "0x5b600056";

interface Answer {
  readonly result?: string;
  readonly error?: { readonly code: number; readonly message: string };
}

describe("the embedded chain under attack", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  const prove = async (): Promise<void> => {
    const { status, text } = await server.post("/api/v1/proof", {
      document_id: randomBytes(4).toString("hex"),
      hash: randomBytes(32).toString("hex"),
    });
    assert.equal(status, 201, text);
  };

  // Other systems have no folder that lists the ports of a process.
  if (process.platform === "linux")
    // Security, machine: cannot connect to the embedded chain's engine, neither its socket nor its HTTP port (Linux)
    it("has an engine that no program of this machine can connect to", async () => {
      const runFolder = join(server.directory, "chain", "run");
      assert.equal(statSync(runFolder).mode & 0o077, 0, "others may not enter the folder of the socket");
      const pid = anvilPid(join(server.directory, "chain")) ?? assert.fail("there is no Anvil");
      const ports = listeningPorts(pid);
      assert.isNotEmpty(ports);
      for (const port of ports) {
        for (const host of ["239.255.255.254", "127.0.0.1", "127.255.255.254", "0.0.0.0", "::1"])
          assert.isFalse(await accepts(host, port), `${host}:${port}`);
      }
    });

  const postRpc = (body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(server.chainUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });

  // Security, machine: cannot send a transaction to the embedded chain, and so fill no block
  it("takes no transaction of another program", async () => {
    const wallet = new Wallet(`0x${randomBytes(32).toString("hex")}`);
    const fields = { type: 0, chainId: EMBEDDED_CHAIN_ID, nonce: 0, gasPrice: 0n, gasLimit: 21_000n };
    const raw = await wallet.signTransaction({ ...fields, to: wallet.address });
    const body = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction", params: [raw] };
    const { error } = (await (await postRpc(body)).json()) as Answer;
    assert.equal(error?.code, REFUSED);
    const file = join(server.directory, "chain", "rpc-url");
    assert.equal(statSync(file).mode & 0o077, 0, "others may not read the password of the port");
    assert.match(readFileSync(file, "utf8"), /^http:\/\/owner:[\w-]{32}@127\.0\.0\.1:\d+$/);
  });

  // Security, machine: cannot stop the engine's blocks with expensive calls: proofs are anchored meanwhile
  it("anchors proofs while others call code that runs until its gas is used", async () => {
    const over = new AbortController();
    let ended = 0;
    const calls = Array.from({ length: 100 }, (_, id) => ({
      ...{ jsonrpc: "2.0", id, method: "eth_call" },
      params: [{ data: ENDLESS_CODE, gas: "0x1c9c380" }],
    }));
    const floods = Array.from({ length: 16 }, () =>
      postRpc(calls, over.signal).then(
        () => (ended += 1),
        () => undefined,
      ),
    );
    await prove();
    assert.equal(ended, 0, "the calls ended before the proof");
    over.abort();
    await Promise.all(floods);
  });

  // Security, machine: cannot make the server read traces or the whole pool, nor keep filters in the engine
  it("has an allow-list of methods", async () => {
    for (const method of ["debug_traceCall", "txpool_content", "eth_newFilter", "anvil_mine"]) {
      const response = await postRpc({ jsonrpc: "2.0", id: 1, method, params: [] });
      assert.equal(((await response.json()) as Answer).error?.code, -32_601);
    }
  });

  // Security, machine: cannot use the memory up with bodies for the embedded chain that it does not finish
  it("has a bounded number of connections, each with a bounded body", async () => {
    const { hostname: host, port } = new URL(server.chainUrl);
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const sockets: Socket[] = [];
    for (let count = 0; count < 300; count += 1) {
      const socket = connect({ host, port: Number(port) }, () =>
        socket.write(`${head}Content-Length: ${1024 * 1024}\r\n\r\n[`),
      );
      socket.on("error", () => undefined).resume();
      sockets.push(socket);
    }
    await eventually(async () => assert.isAtLeast(sockets.filter(({ destroyed }) => destroyed).length, 300 - 256));
    await prove();
    // They are not waited for either.
    await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, "close"))));
    const small = await postRpc({ jsonrpc: "2.0", id: 1, method: "eth_chainId" });
    assert.equal(small.status, 200);
    const large = await postRpc({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: ["a".repeat(1024 * 1024)] });
    assert.equal(large.status, 413);
  });
});

/** The TCP ports on which a process listens. */
function listeningPorts(pid: number): number[] {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const inodes = new Set(descriptors.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
  const LISTENING = "0A";
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && inodes.has(inode ?? ""))
      .map(([, local]) => Number.parseInt(local?.split(":")[1] ?? "", 16)),
  );
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
