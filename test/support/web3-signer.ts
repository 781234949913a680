import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { keccak256, SigningKey } from "ethers";

/** A stand-in for a Web3Signer, by its OpenAPI document and its source. */
export interface LocalSigner {
  readonly url: string;
  /** Number of signatures so far. */
  readonly signed: number;
  mode: "pass" | "off" | "hang" | "wrong";
  close(): Promise<void>;
}

export async function startLocalSigner(privateKeys: readonly string[]): Promise<LocalSigner> {
  const keys = new Map(privateKeys.map((key) => [`0x${new SigningKey(key).publicKey.slice(4)}`, new SigningKey(key)]));
  let signed = 0;
  const server = createServer(async (request, response) => {
    if (signer.mode === "off") return void request.socket.destroy();
    if (signer.mode === "hang") return;
    if (request.method === "GET" && request.url === "/api/v1/eth1/publicKeys") {
      return void response.setHeader("Content-Type", "application/json").end(JSON.stringify([...keys.keys()]));
    }
    const [, identifier = ""] = /^\/api\/v1\/eth1\/sign\/(0x[0-9a-f]{128})$/.exec(request.url ?? "") ?? [];
    const key = keys.get(identifier);
    if (request.method !== "POST" || key === undefined) return void response.writeHead(404).end();
    const { data } = JSON.parse(await text(request)) as { data: string };
    signed += 1;
    const message = signer.mode === "wrong" ? "0x00" : data;
    response.setHeader("Content-Type", "text/plain; charset=utf-8").end(key.sign(keccak256(message)).serialized);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const signer: LocalSigner = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get signed() {
      return signed;
    },
    mode: "pass",
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return signer;
}
