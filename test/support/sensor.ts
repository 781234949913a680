import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A sensor with an HTTP server on a loopback address. */
export interface Sensor {
  readonly url: string;
  /** Requested paths. */
  readonly requests: string[];
  stop(): void;
}

export async function startSensor(
  reply: (request: IncomingMessage, response: ServerResponse) => void,
  host = "127.0.0.1",
): Promise<Sensor> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    reply(request, response);
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
