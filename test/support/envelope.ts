import { assert } from "chai";
import type { HttpResponse } from "./http.ts";

/** Checks the envelope of a successful response, and returns its content. */
export function content(response: HttpResponse, route: string) {
  assert.equal(response.status, 200, response.text);
  assert.hasAllKeys(response.body, ["content", "msg", "render", "status"]);
  assert.strictEqual(response.body.status, 1);
  assert.equal(response.body.msg, `${route} fetch is successful`);
  assert.isString(response.body.render);
  assert.match(response.body.render, /^\d+(\.\d+)?$/);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/);
  return response.body.content;
}

/** Checks the envelope of an error response. */
export function refused(response: HttpResponse, route: string, status: number, code: string): string {
  assert.equal(response.status, status, response.text);
  assert.hasAllKeys(response.body, ["content", "msg", "render", "status"]);
  assert.strictEqual(response.body.status, 0);
  assert.match(response.body.render, /^\d+(\.\d+)?$/);
  const { error } = response.body.content;
  assert.containsAllKeys(error, ["code", "message"]);
  assert.equal(error.code, code);
  assert.isNotEmpty(error.message);
  assert.equal(response.body.msg, `${route} fetch is failed: ${error.message}`);
  return error.message;
}
