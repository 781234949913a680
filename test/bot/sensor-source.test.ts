import { assert } from "chai";
import { botVariables } from "../support/bot.ts";
import { startSensor, type Sensor } from "../support/sensor.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { type Chat, TelegramServer } from "../support/telegram-server.ts";

describe("a sensor that the bot asks", function () {
  let telegram: TelegramServer;
  let server: TestServer;
  let sensor: Sensor;
  let elsewhere: Sensor;
  let people = 4000;
  before(async () => {
    sensor = await startSensor(({ url = "" }, response) => {
      if (url === "/good") return void response.end('{"sensors": [{"pm2.5": 7.25, "text": "8,5", "negative": -1, "word": "much", "big": 1e9}]}');
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
    elsewhere = await startSensor((_request, response) => void response.end('{"sensors": [{"pm2.5": 1}]}'), "127.0.0.2");
    telegram = await new TelegramServer().start();
    server = await startServer({ ...botVariables(telegram), TELEGRAM_SENSOR_NETWORKS: "127.0.0.1/32" });
  });
  after(async () => {
    await server.stop();
    telegram.stop();
    sensor.stop();
    elsewhere.stop();
  });

  const registered = async (source: string): Promise<Chat> => {
    const chat = telegram.person((people += 1));
    await chat.ask("/start");
    await chat.ask("Somchai");
    await chat.ask("SDS011");
    await chat.after(() => chat.write("1, 2"), 2);
    await chat.ask("Roof");
    await chat.ask(source);
    await chat.after(() => chat.touch("✅ Confirm"), 2);
    return chat;
  };
  const withSource = async (chat: Chat, source: string): Promise<void> => {
    await chat.ask("/reset");
    for (const [index] of ["name", "device", "place", "title"].entries()) {
      if (index === 2) await chat.after(() => chat.write("✔ Keep as it is"), 2);
      else await chat.after(() => chat.touch("✔ Keep as it is"));
    }
    await chat.ask(source);
    await chat.after(() => chat.touch("✅ Confirm"));
  };

  it("gives the value that is stored", async () => {
    const chat = await registered(`${sensor.url}/good $.sensors[0]['pm2.5']`);
    assert.include((await chat.ask("/pm")).text, "Stored: 7.3 ");
    assert.include((await chat.ask("/pm 99")).text, "Stored: 99 ", "what is typed counts");
    const answers = await Promise.all(
      ([[`/good $.sensors[0].text`, "Stored: 8.5 "], [`/once $.sensors[-1]['pm2.5']`, "Stored: 7.3 "]] as const).map(async ([source, answer]) => {
        const other = await registered(`${sensor.url}${source}`);
        return [(await other.ask("/pm")).text, answer] as const;
      }),
    );
    for (const [text, answer] of answers) assert.include(text, answer);
  });

  it("is told about in a sentence when it gives none", async () => {
    const faults: readonly (readonly [string, string])[] = [
      ["/good $.nothing", "nothing at the path"], ["/good $.sensors[0].negative", "no number from 0"], ["/good $.sensors[0].word", "no number from 0"],
      ["/good $.sensors[0].big", "no number from 0"], ["/good $.sensors", "no number from 0"], ["/html $.a", "not JSON"], ["/error $.a", "answered with an error"],
      ["/large $", "more than 64 KiB"], ["/loop $.a", "more than three times"], ["/file $.a", "answered with an error"], ["/cut $.a", "cannot be reached"],
    ];
    // Each of two people in turn, at the same time.
    const people = await Promise.all([registered(`${sensor.url}/good $.a`), registered(`${sensor.url}/good $.a`), registered(`${sensor.url}/good $.a`)]);
    await Promise.all(
      people.map(async (chat, person) => {
        for (const [source, reason] of faults.filter((_, index) => index % people.length === person).slice(0, 1)) {
          await withSource(chat, `${sensor.url}${source}`);
          assert.include((await chat.ask("/pm")).text, reason);
        }
      }),
    );
    await Promise.all(
      faults.slice(people.length).map(async ([source, reason]) => {
        const chat = await registered(`${sensor.url}${source}`);
        assert.include((await chat.ask("/pm")).text, reason, source);
      }),
    );
  });

  it("is not asked when it is in a network that is not the sensor's, by whatever way one gets there", async () => {
    const { port } = new URL(elsewhere.url);
    const before = elsewhere.asked.length;
    await Promise.all(
      [`${elsewhere.url}/good`, `http://0x7f.2:${port}/good`, `http://2130706434:${port}/good`, `http://[::ffff:127.0.0.2]:${port}/good`, `http://[::1]:${port}/`, `${sensor.url}/away`, "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/"].map(
        async (address) => {
          const chat = await registered(`${address} $.sensors[0]['pm2.5']`);
          assert.include((await chat.ask("/pm")).text, "private network", address);
        },
      ),
    );
    assert.lengthOf(elsewhere.asked, before);
  });
});
