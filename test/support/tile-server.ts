import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createCanvas } from "@napi-rs/canvas";
import type { TilePosition } from "../../air-quality/pictures/tile-store.ts";

/** A server of map tiles that all have one colour. */
export interface TileServer {
  /** Address of a tile, with placeholders for zoom, column and row. */
  readonly template: string;
  /** Returns the requested tiles. */
  requested(): readonly TilePosition[];
  /** Fails all further requests. */
  fail(): void;
  stop(): Promise<void>;
}

export async function serveTiles(colour: string): Promise<TileServer> {
  const canvas = createCanvas(256, 256);
  const context = canvas.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 256, 256);
  const tile = await canvas.encode("png");
  const requested: TilePosition[] = [];
  let fails = false;
  const server = createServer((request, response) => {
    const [zoom = 0, column = 0, row = 0] = (request.url ?? "").match(/\d+/g)?.map(Number) ?? [];
    requested.push({ zoom, column, row });
    if (fails) response.writeHead(503).end();
    else response.writeHead(200, { "Content-Type": "image/png" }).end(tile);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    template: `http://127.0.0.1:${port}/{z}/{x}/{y}.png`,
    requested: () => [...requested],
    fail: () => void (fails = true),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
