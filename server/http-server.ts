import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { SealbookError } from "./errors.ts";

const IDLE_CHECK_MILLISECONDS = 50;
const GRACE_MILLISECONDS = 5_000;
const HEADERS_MILLISECONDS = 60_000;
/** Connections that wait to be taken while the process is busy: clients come in thousands after a pause. */
const BACKLOG = 8_192;

/** A listening HTTP server. */
export interface HttpServer {
  readonly url: string;
  /** Answers what is being answered, takes nothing new, and ends what is not done after a while. */
  close(): Promise<void>;
}

/** @throws SealbookError `config_invalid` when the address cannot be listened on */
export async function listen(listener: RequestListener, host: string, port: number): Promise<HttpServer> {
  // A body may take as long as it takes: a million rows come over a slow line for hours. Headers may not.
  const server = createServer({ requestTimeout: 0, headersTimeout: HEADERS_MILLISECONDS }, listener);
  server.listen({ port, host, backlog: BACKLOG });
  try {
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SealbookError("config_invalid", `HOST and PORT: cannot listen on ${host}:${port}: ${reason}`, { cause: error });
  }
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      // A connection that is kept alive becomes idle only with the end of its last answer.
      const closing = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS);
      const ending = setTimeout(() => server.closeAllConnections(), GRACE_MILLISECONDS);
      await closed;
      clearInterval(closing);
      clearTimeout(ending);
    },
  };
}
