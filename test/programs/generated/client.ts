/** Uses both APIs through a client of openapi-fetch, whose types openapi-typescript makes from the OpenAPI document. */
import { createHash } from "node:crypto";
import { argv } from "node:process";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

const [, , baseUrl = "", login = "", password = "", inputdata = ""] = argv;
const api = createClient<paths, "application/json">({ baseUrl });
type Call = components["schemas"];

/** Returns the data of a successful response. */
function dataOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function call<R>(body: paths["/api"]["post"]["requestBody"]["content"]["application/json"]): Promise<R> {
  return dataOf(await api.POST("/api", { body })) as R;
}

const opened = await call<Call["AuthResponse"]>({
  credentials: { login, password },
  method: "GET",
  route: "/api/admin/auth",
});
const credentials = { token: opened.content.tparams.tx };
const topic = `generated ${Date.now()}`;
const stored = await call<Call["StoreResponse"]>({
  credentials,
  method: "GET",
  payload: { code: "c", topic, payload: { pm25: 12, nested: [{ a: null }] } },
  route: "/api/datastore/event/store",
});
const found = await call<Call["SearchResponse"]>({
  credentials,
  method: "GET",
  payload: { search: { target: "2", value: topic } },
  route: "/api/datastore/event/search",
});
const decoded = await call<Call["DecodeResponse"]>({
  credentials,
  method: "GET",
  payload: { function: "set", inputdata },
  route: "/api/datastore/transaction/decode",
});

const hash = createHash("sha256").update(topic).digest("hex");
const document = { document_id: topic, hash };
const proved = dataOf(
  await api.POST("/api/v1/proof", { body: { ...document, metadata: { source: "test", more: 1 } } }),
);
const proof = dataOf(await api.GET("/api/v1/proof/{id}", { params: { path: { id: topic } } }));
const verified = dataOf(await api.GET("/api/v1/verify", { params: { query: { hash } } }));
const listed = dataOf(await api.POST("/api/v1/verify", { body: { hashes: [hash] } }));
const compared = dataOf(await api.POST("/api/v1/recovery/verify", { body: { documents: [document] } }));

console.log(
  JSON.stringify({
    stored: stored.content.result,
    events: found.content.tparams.events.map(([sender]) => sender),
    payload: Object.keys(decoded.content.tparams.transaction.rowdata.payload).length > 0,
    status: proved.status,
    found: "status" in proof && proof.status === "confirmed" ? proof.proof.hash : proof,
    block: "proof" in verified ? verified.proof.block_number > 0 : verified.message,
    listed: "results" in listed ? listed.results.map(({ valid }) => valid) : listed,
    result: compared.documents.map(({ result }) => result),
  }),
);
