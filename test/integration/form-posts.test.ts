import { assert } from "chai";
import { buildPanel } from "../../scripts/panel/build.ts";
import { content, refused } from "../support/envelope.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const NAME = "tmpl_sesstoken";

describe("form posts of the panel", function () {
  let server: TestServer;
  /** What a browser has of a page: the form token in its head, and as a cookie. */
  let formToken: string;
  before(async () => {
    await buildPanel();
    server = await startServer();
    const { headers, text } = await server.get("/");
    formToken = new RegExp(`name="${NAME}" content="(0x[0-9a-f]{96})"`).exec(text)?.[1] ?? assert.fail("no form token");
    const [cookie = ""] = headers.getSetCookie();
    assert.match(cookie, new RegExp(`^${NAME}=${formToken};`));
    assert.match(cookie, /; HttpOnly(;|$)/);
    assert.match(cookie, /; SameSite=Strict(;|$)/);
  });
  after(() => server.stop());

  async function post(fields: Record<string, string>, cookie = formToken) {
    const response = await fetch(`${server.url}/api`, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { Cookie: `a=b; ${NAME}=${cookie}` },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  const login = () => ({ route: ROUTES.auth, ...server.demo });

  it("log in, store and log out with the page's form token", async () => {
    const { tparams } = content(await post({ ...login(), [NAME]: formToken }), ROUTES.auth);
    assert.equal(tparams[NAME], formToken, "the token of the browser stays");
    const record = { code: "from a form", topic: "t", payload: { payload: { sensorvalue: 1 } } };
    const fields = { token: tparams.tx, [NAME]: formToken };
    content(await post({ ...fields, route: ROUTES.store, payload: JSON.stringify(record) }), ROUTES.store);
    const digits = JSON.stringify({ ...record, code: "digits" }).replace('"sensorvalue":1', '"sensorvalue":1.0');
    content(await post({ ...fields, route: ROUTES.store, payload: digits }), ROUTES.store);
    const search = { search: { target: "1", value: "digits" } };
    const found = content(await server.call(ROUTES.search, { token: tparams.tx }, search), ROUTES.search).tparams;
    assert.equal(Buffer.from(found.events[0][3], "base64").toString(), '{"payload":{"sensorvalue":1.0}}');
    const large = { ...record, payload: { text: "Ж".repeat(30_000) } };
    content(await post({ ...fields, route: ROUTES.store, payload: JSON.stringify(large) }), ROUTES.store);
    const closed = content(await post({ ...fields, route: ROUTES.close }), ROUTES.close);
    assert.equal(closed.tparams[NAME], formToken);
  });

  // Security, network: cannot post a form of the panel from a page of another site
  it("are refused without the form token, with another one, and without the cookie", async () => {
    const other = `0x${"ab".repeat(48)}`;
    for (const [fields, cookie] of [
      [login(), formToken],
      [{ ...login(), [NAME]: "" }, formToken],
      [{ ...login(), [NAME]: other }, formToken],
      [{ ...login(), [NAME]: formToken }, other],
      [{ ...login(), [NAME]: formToken }, ""],
      [{ ...login(), [NAME]: "" }, ""],
      [{ ...login(), [NAME]: "1" }, "1"],
    ] as const)
      refused(await post(fields, cookie), ROUTES.auth, 403, "form_token_invalid");
  });

  it("keep the token of a browser that loads the page again", async () => {
    const { text } = await server.get("/", { headers: { Cookie: `${NAME}=${formToken}` } });
    assert.include(text, `content="${formToken}"`);
    const forged = await server.get("/", { headers: { Cookie: `${NAME}="><script>` } });
    assert.notInclude(forged.text, '"><script>');
  });

  it("have the errors of their fields", async () => {
    const fields = { token: `0x${"ab".repeat(32)}`, [NAME]: formToken };
    const response = await post({ ...fields, route: ROUTES.store, payload: "{" });
    assert.match(refused(response, ROUTES.store, 400, "malformed"), /payload: .*JSON/);
    const twice = '{"code":"c","topic":"t","payload":{"a":[{"b":1,"b":2}]}}';
    const duplicate = refused(
      await post({ ...fields, route: ROUTES.store, payload: twice }),
      ROUTES.store,
      400,
      "malformed",
    );
    assert.equal(duplicate, "payload.payload.a.0.b: the key appears twice");
    const other = refused(await post({ ...fields, [`{"token": "${fields.token}"}`]: "x" }), "/api", 400, "malformed");
    assert.match(other, /^route: /);
    assert.notInclude(other, fields.token);
    for (const length of [70_000, 200_000]) {
      const large = await post({ ...fields, route: ROUTES.store, payload: JSON.stringify("x".repeat(length)) });
      assert.equal(large.status, 413, large.text);
      assert.equal(large.body.content.error.code, "too_large");
    }
    refused(await post({ ...fields, route: ROUTES.close }), ROUTES.close, 401, "token_invalid");
  });

  it("are not what other clients send: JSON needs no form token", async () => {
    content(await server.call(ROUTES.auth, server.demo), ROUTES.auth);
  });
});
