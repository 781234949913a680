import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { assert } from "chai";
import { Wallet } from "ethers";
import { EMBEDDED_CHAIN_ID } from "../../server/composition/embedded-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Waiting transactions that an account may have. */
const MOST_OF_A_SENDER = 1_024;
const TOO_MANY = -32_005;

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
    it("has an engine that no program of this machine can connect to", async () => {
      const runFolder = join(server.directory, "chain", "run");
      assert.equal(statSync(runFolder).mode & 0o077, 0, "others may not enter the folder of the socket");
      const pid = readFileSync(join(runFolder, "anvil.pid"), "utf8").trim();
      const ports = listeningPorts(pid);
      assert.isNotEmpty(ports);
      for (const port of ports) {
        for (const host of ["239.255.255.254", "127.0.0.1", "127.255.255.254", "0.0.0.0", "::1"])
          assert.isFalse(await accepts(host, port), `${host}:${port}`);
      }
    });

  it("anchors proofs while an account has filled its part of the pool with transactions after a gap", async () => {
    const send = async (wallet: Wallet, nonces: readonly number[]): Promise<Answer[]> => {
      const signed = await Promise.all(
        nonces.map((nonce) =>
          wallet.signTransaction({
            ...{ type: 0, chainId: EMBEDDED_CHAIN_ID, gasPrice: 0n, gasLimit: 21_000n, to: wallet.address },
            nonce,
          }),
        ),
      );
      const body = signed.map((raw, id) => ({ jsonrpc: "2.0", id, method: "eth_sendRawTransaction", params: [raw] }));
      const headers = { "content-type": "application/json" };
      const response = await fetch(server.chainUrl, { method: "POST", headers, body: JSON.stringify(body) });
      return (await response.json()) as Answer[];
    };
    const hostile = new Wallet(`0x${randomBytes(32).toString("hex")}`);
    const count = MOST_OF_A_SENDER + 100;
    const answers: Answer[] = [];
    for (let from = 0; from < count; from += 500) {
      const nonces = Array.from({ length: Math.min(500, count - from) }, (_, index) => 1 + from + index);
      answers.push(...(await send(hostile, nonces)));
    }
    assert.lengthOf(
      answers.filter(({ result }) => result !== undefined),
      MOST_OF_A_SENDER,
    );
    const refused = answers.filter(({ error }) => error?.code === TOO_MANY);
    assert.lengthOf(refused, 100);
    assert.include(refused[0]?.error?.message ?? "", hostile.address);
    await prove();
    const other = new Wallet(`0x${randomBytes(32).toString("hex")}`);
    assert.isString((await send(other, [0]))[0]?.result);
    const { body } = await server.get("/api/v1/status");
    assert.equal(body.status, "ok");
    assert.equal(body.journal.pending, 0);
  });
});

/** The TCP ports on which a process listens. */
function listeningPorts(pid: string): number[] {
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
