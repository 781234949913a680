import { assert } from "chai";
import { eventually } from "./eventually.ts";
import type { HttpResponse } from "./http.ts";
import type { TestServer } from "./server.ts";

/** Posts a proof or a batch until it is on chain, without a time limit, and returns the response. */
export function anchored(
  server: Pick<TestServer, "post">,
  path: "/api/v1/proof" | "/api/v1/proof/batch",
  body: object,
): Promise<HttpResponse> {
  return eventually(async () => {
    const response = await server.post(path, body);
    assert.oneOf(response.status, [200, 201], response.text.slice(0, 300));
    return response;
  });
}
