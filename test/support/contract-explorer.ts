import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { freePort } from "./free-port.ts";

/** What an explorer was given to verify a contract with. */
export interface Verification {
  readonly address: string;
  /** Path and name of the contract. */
  readonly contract: string;
  readonly compiler: string;
  /** Standard JSON input of the compiler. */
  readonly input: unknown;
  /** ABI-encoded, as hex without 0x; unset for an explorer that finds them itself. */
  readonly constructorArguments?: string;
  readonly key?: string;
}

const SOURCIFY_JOB = "b1f5b5c0-0000-4000-8000-000000000000";

/** An explorer with the interfaces of Etherscan, Blockscout and Sourcify, which accepts every contract. */
export interface ContractExplorer {
  readonly url: string;
  readonly received: Verification[];
  stop(): Promise<void>;
}

export async function startContractExplorer(): Promise<ContractExplorer> {
  const received: Verification[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://explorer");
    const answer = (body: unknown, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    void text(request).then((body) => {
      const key = searchParams.get("apikey");
      switch (searchParams.get("action") ?? `${request.method} ${pathname.split("/").slice(0, 3).join("/")}`) {
        case "getsourcecode":
          return answer({ status: "1", message: "OK", result: [{ SourceCode: "" }] });
        case "verifysourcecode": {
          const form = new URLSearchParams(body);
          received.push({
            address: form.get("contractaddress") ?? "",
            contract: form.get("contractname") ?? "",
            compiler: form.get("compilerversion") ?? "",
            input: JSON.parse(form.get("sourceCode") ?? "null"),
            constructorArguments: form.get("constructorArguments") ?? "",
            ...(key === null ? {} : { key }),
          });
          return answer({ status: "1", message: "OK", result: "job" });
        }
        case "checkverifystatus":
          return answer({ status: "1", message: "OK", result: "Pass - Verified" });
        case "GET /v2/contract":
          return answer({ match: null, creationMatch: null, runtimeMatch: null, chainId: "1", address: "0x" }, 404);
        case "POST /v2/verify": {
          const { stdJsonInput, contractIdentifier, compilerVersion } = JSON.parse(body) as Record<string, unknown>;
          received.push({
            address: pathname.split("/").at(-1) ?? "",
            contract: String(contractIdentifier),
            compiler: String(compilerVersion),
            input: stdJsonInput,
          });
          return answer({ verificationId: SOURCIFY_JOB }, 202);
        }
        case "GET /v2/verify":
          return answer({
            isJobCompleted: true,
            jobStartTime: "2026-01-01T00:00:00Z",
            verificationId: SOURCIFY_JOB,
            contract: { match: "exact_match", creationMatch: "exact_match", runtimeMatch: "exact_match" },
          });
        default:
          return answer({ message: `no ${request.method} ${request.url}` }, 404);
      }
    });
  });
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
