import { assert } from "chai";
import { sourceReader } from "../../../server/bot/sensor-source.ts";
import { botVariables } from "../../support/bot.ts";
import { startSensor, type Sensor } from "../../support/sensor.ts";
import { startServer } from "../../support/server.ts";
import { TelegramServer } from "../../support/telegram-server.ts";

describe("a sensor source", function () {
  let sensor: Sensor;
  let elsewhere: Sensor;
  before(async () => {
    sensor = await startSensor(({ url = "" }, response) => {
      if (url === "/good")
        return void response.end(
          '{"sensors": [{"pm2.5": 7.25, "text": "8,5", "negative": -1, "word": "much", "big": 1e9}]}',
        );
      if (url === "/html") return void response.end("<html>");
      if (url === "/error") return void response.writeHead(500).end("{}");
      if (url === "/large") return void response.end(`"${"x".repeat(70_000)}"`);
      if (url === "/once") return void response.writeHead(302, { Location: "/good" }).end();
      if (url === "/loop") return void response.writeHead(307, { Location: "/loop" }).end();
      if (url === "/away") return void response.writeHead(302, { Location: `${elsewhere.url}/good` }).end();
      if (url === "/file") return void response.writeHead(302, { Location: "file:///etc/passwd" }).end();
      response.destroy();
    });
    // The same machine by another address, which is not among those that are allowed.
    elsewhere = await startSensor(
      (_request, response) => void response.end('{"sensors": [{"pm2.5": 1}]}'),
      "127.0.0.2",
    );
  });
  after(() => {
    sensor.stop();
    elsewhere.stop();
  });
  const read = sourceReader((address) => address === "127.0.0.1");
  const readAt = (url: string, path = "$.sensors[0]['pm2.5']") => read({ kind: "http", url: new URL(url).href, path });

  for (const [url, path, value] of [
    ["/good", "$.sensors[0]['pm2.5']", 7.25],
    ["/good", "sensors[-1].text", 8.5],
    ["/once", "$.sensors[0]['pm2.5']", 7.25],
  ] as const) {
    it(`returns the value at ${path} of ${url}`, async () =>
      assert.equal(await readAt(`${sensor.url}${url}`, path), value));
  }

  for (const [url, path, fault] of [
    ["/good", "$.nothing", "nothing_there"],
    ["/good", "$.sensors[0].negative", "not_a_reading"],
    ["/good", "$.sensors[0].word", "not_a_reading"],
    ["/good", "$.sensors[0].big", "not_a_reading"],
    ["/good", "$.sensors", "not_a_reading"],
    ["/html", "$.a", "not_json"],
    ["/error", "$.a", "bad_status"],
    ["/large", "$", "too_large"],
    ["/loop", "$.a", "too_many_redirects"],
    ["/file", "$.a", "bad_status"],
    ["/cut", "$.a", "unreachable"],
  ] as const) {
    it(`returns no value at ${path} of ${url}: ${fault}`, async () =>
      assert.equal(await readAt(`${sensor.url}${url}`, path), fault));
  }

  // Security, bot: a user of a chat cannot make it query an address inside the operator's networks
  it("is rejected in a private network, however it is addressed", async () => {
    const { port } = new URL(elsewhere.url);
    const ways = [
      `${elsewhere.url}/good`,
      `http://0x7f.2:${port}/good`,
      `http://2130706434:${port}/good`,
      `http://127.2:${port}/good`,
      `http://[::ffff:127.0.0.2]:${port}/good`,
      `http://[::1]:${port}/`,
      `${sensor.url}/away`,
      "http://169.254.169.254/latest/meta-data",
      "http://10.0.0.1/",
      "http://[fe80::1]/",
      "https://192.168.1.1/",
    ];
    for (const way of ways) assert.equal(await readAt(way), "private_address", way);
    assert.deepEqual(elsewhere.requests, []);
  });

  it("is rejected when its name resolves to a private network", async () => {
    const { port } = new URL(sensor.url);
    const none = sourceReader(() => false);
    const before = sensor.requests.length;
    assert.equal(await none({ kind: "http", url: `http://localhost:${port}/good`, path: "$" }), "private_address");
    assert.lengthOf(sensor.requests, before);
  });

  it("provides the value of /pm, and reports a missing value in a message", async () => {
    const telegram = await new TelegramServer().start();
    const server = await startServer({ ...botVariables(telegram), TELEGRAM_SENSOR_NETWORKS: "127.0.0.1/32" });
    try {
      const chat = telegram.person(4001);
      for (const text of ["/start", "Somchai", "SDS011"]) await chat.request(text);
      await chat.after(() => chat.write("1, 2"), 2);
      await chat.request("Roof");
      await chat.request(`${sensor.url}/good $.sensors[0]['pm2.5']`);
      await chat.after(() => chat.press("✅ Confirm"), 2);
      assert.include((await chat.request("/pm")).text, "Stored: 7.25 ");
      assert.include((await chat.request("/pm 99")).text, "Stored: 99 ", "what is typed counts");

      await chat.request("/reset");
      for (const _question of ["name", "device"]) await chat.after(() => chat.press("✔ Keep as it is"));
      await chat.after(() => chat.write("✔ Keep as it is"), 2);
      await chat.after(() => chat.press("✔ Keep as it is"));
      await chat.request(`${elsewhere.url}/good $.sensors[0]['pm2.5']`);
      await chat.after(() => chat.press("✅ Confirm"));
      assert.include(
        (await chat.request("/pm")).text,
        "Your sensor returned no value: its address is in a private network",
      );
    } finally {
      await server.stop();
      telegram.stop();
    }
  });
});
