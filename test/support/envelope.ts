import { assert } from "chai";
import type { Answer } from "./http.ts";

/** Checks the envelope of a successful response, and returns its content. */
export function content(answer: Answer, route: string) {
  assert.equal(answer.status, 200, answer.text);
  assert.hasAllKeys(answer.body, ["content", "msg", "render", "status"]);
  assert.strictEqual(answer.body.status, 1);
  assert.equal(answer.body.msg, `${route} fetch is successful`);
  assert.isString(answer.body.render);
  assert.match(answer.body.render, /^\d+(\.\d+)?$/);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
  return answer.body.content;
}

/** Checks the envelope of an error response. */
export function refused(answer: Answer, route: string, status: number, code: string): string {
  assert.equal(answer.status, status, answer.text);
  assert.hasAllKeys(answer.body, ["content", "msg", "render", "status"]);
  assert.strictEqual(answer.body.status, 0);
  assert.match(answer.body.render, /^\d+(\.\d+)?$/);
  const { error } = answer.body.content;
  assert.containsAllKeys(error, ["code", "message"]);
  assert.equal(error.code, code);
  assert.isNotEmpty(error.message);
  assert.equal(answer.body.msg, `${route} fetch is failed: ${error.message}`);
  return error.message;
}
