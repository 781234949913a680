import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { bzip2 } from "../../../server/records/bzip2.ts";
import { TALKATIVE, botVariables, register } from "../../support/bot.ts";
import { content } from "../../support/envelope.ts";
import { eventually } from "../../support/eventually.ts";
import { rpcCall } from "../../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

const EXPLORER = "https://explorer.example";

describe("the bot's commands", () => {
  let telegram: TelegramServer;
  let server: TestServer;
  let chat: Chat;
  let russian: Chat;
  let group: Chat;
  let people = 2000;
  /** A new user: messages to one user are rate limited. */
  const anybody = (): Chat => telegram.person((people += 1));
  before(async () => {
    telegram = await new TelegramServer().start();
    chat = telegram.person(1001);
    russian = telegram.person(1002, "ru");
    group = telegram.group(-100500, 1004);
    server = await startServer({ ...botVariables(telegram), EXPLORER_URL: EXPLORER }, { settings: TALKATIVE });
  });
  after(async () => {
    await server.stop();
    telegram.stop();
  });

  it("are in the menu, in both languages", async () => {
    await eventually(async () => assert.sameMembers([...telegram.menus.keys()], ["", "ru"]));
    for (const menu of telegram.menus.values()) {
      assert.deepEqual(
        menu.map(({ command }) => command),
        [
          "start",
          "reset",
          "fetch",
          "help",
          "pm",
          "providers",
          "map",
          "livemap",
          "time",
          "trxlog",
          "synclog",
          "gethlog",
          "balance",
          "decode",
          "decompress",
        ],
      );
    }
    assert.match(telegram.menus.get("ru")?.[0]?.description ?? "", /[а-я]/);
  });

  it("are listed among the extensions of the panel", async () => {
    const { tparams } = content(await server.call(ROUTES.auth, server.demo), ROUTES.auth);
    assert.equal(tparams.extensions.at(-1).name, "bot");
  });

  it("/help lists all commands in the user's language", async () => {
    const { text } = await chat.request("/help");
    for (const { command } of telegram.menus.get("") ?? []) assert.include(text, `/${command} `);
    assert.include((await russian.request("/help")).text, "справка по командам");
  });

  it("report unknown commands and other text", async () => {
    assert.include((await chat.request("/frobnicate now")).text, "There is no command /frobnicate");
    assert.include((await chat.request("good morning")).text, "not a command");
    assert.include((await chat.after(() => chat.sendSticker()))[0].text, "not a command");
  });

  it("report missing data", async () => {
    assert.include((await chat.request("/fetch")).text, "There is no form yet");
    assert.include((await chat.request("/reset")).text, "There is no form yet");
    assert.include((await chat.request("/pm 5")).text, "Only registered users");
    assert.include((await chat.request("/providers")).text, "No sensor sent a value");
    assert.include((await chat.request("/trxlog")).text, "No value has been stored yet");
    const [map] = await chat.after(() => chat.write("/map"));
    assert.equal(map.kind, "photo");
  });

  describe("for registered users", () => {
    let login: { login: string; password: string };
    let chat: Chat;
    before(async () => {
      chat = telegram.person(1003);
      login = await register(chat, { device: "SDS011", title: "Roof" });
    });

    it("/pm stores a record signed by the account, in the format of the convention", async () => {
      const { text } = await chat.request("/pm 12,5");
      assert.match(text, /^Stored: 12\.5 µg\/m³, record \d+\.\nhttps:\/\/explorer\.example\/tx\/0x[0-9a-f]{64}$/);
      const token = await server.login(login);
      const { tparams } = content(
        await server.call(ROUTES.search, { token }, { search: { target: "2", value: "PM2.5" } }),
        ROUTES.search,
      );
      const [[sender, code, , payload]] = tparams.events;
      assert.equal(sender, login.login);
      assert.match(code, /^SDS011 0x[0-9a-fA-F]{8} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(JSON.parse(Buffer.from(payload, "base64").toString()), {
        sensorvalue: 12.5,
        sensordevice: "SDS011",
        enrichment: { position: { lng: 100.5, lat: 13.75 }, title: "Roof" },
      });
    });

    it("/pm without a value requests it", async () => {
      assert.include((await chat.request("/pm")).text, "type the PM2.5 value");
      assert.include((await chat.request("a lot")).text, '"a lot" is not a PM2.5 value');
      assert.include((await chat.request("/pm -1")).text, "is not a PM2.5 value");
      assert.include((await chat.request("/pm 10001")).text, "is not a PM2.5 value");
      await chat.request("/pm");
      assert.include((await chat.request("40")).text, "Stored: 40 ");
      const token = await server.login(login);
      const search = { target: "2", value: "PM2.5" };
      const { tparams } = content(await server.call(ROUTES.search, { token }, { search }), ROUTES.search);
      const codes: string[] = tparams.events.map(([, code]: string[]) => code);
      assert.lengthOf(new Set(codes), codes.length, "each reading has its own code");
    });

    it("/synclog shows the block of a stored row", async () => {
      assert.match((await anybody().request("/synclog")).text, /^\d{4}-\d\d-\d\d [\d:]{8} UTC block \d+, rows: 1$/m);
    });

    it("/providers lists the newest value of each sensor with its category", async () => {
      const chat = anybody();
      const { text } = await chat.request("/providers");
      assert.match(text, /1 in all.*\nRoof \(SDS011\): 40 µg\/m³, Unhealthy for sensitive groups, just now$/);
      assert.include((await russian.request("/providers")).text, "Вредно для чувствительных групп");
    });

    it("/map and /livemap send pictures", async () => {
      const chat = anybody();
      const [map] = await chat.after(() => chat.write("/map"));
      assert.equal(map.kind, "photo");
      assert.equal(map.file?.content.subarray(1, 4).toString(), "PNG");
      assert.include(map.text, "one sensor");
      const [day] = await chat.after(() => chat.write("/livemap"));
      assert.equal(day.kind, "animation");
      assert.equal(day.file?.content.subarray(0, 3).toString(), "GIF");
    });

    it("/trxlog lists the stored values, with links", async () => {
      const chat = anybody();
      const { text } = await chat.request("/trxlog");
      const [, hash = ""] = /https:\/\/explorer\.example\/tx\/(0x[0-9a-f]{64})/.exec(text) ?? [];
      assert.match((await rpcCall(server.chainUrl, "eth_getTransactionByHash", hash)).input, /^0x[0-9a-f]+$/);
      assert.include(text, login.login);
    });

    it("/decode shows the content of a transaction, typed or as a file", async () => {
      const chat = anybody();
      const [, hash = ""] = /(0x[0-9a-f]{64})/.exec((await chat.request("/trxlog")).text) ?? [];
      const { input } = await rpcCall(server.chainUrl, "eth_getTransactionByHash", hash);
      const shown = (text: string): void => {
        for (const piece of [
          "insert",
          `Signed by the sender, ${login.login}.`,
          "The row id in the row is that of the call.",
          "SDS011",
          '"sensorvalue":40',
          '"tabname"',
        ])
          assert.include(text, piece);
      };
      const texts = [
        await chat.request(`/decode ${input}`),
        await chat.request(`/decode ${input.slice(2)}`),
        (await chat.after(() => chat.sendDocument(`${input}\n`, "/decode")))[0],
      ];
      assert.include((await chat.request("/decode")).text, "send the data for /decode");
      texts.push((await chat.after(() => chat.sendDocument(input)))[0]);
      for (const { text, file } of texts) shown(file?.content.toString() ?? text);
    });

    // Security, bot: a user's Telegram account can send values and edit the form, but does not get the password
    it("/fetch shows the form and the account, without the password", async () => {
      const { text } = await chat.request("/fetch");
      for (const piece of ["Somchai", "SDS011", "13.75, 100.5", "Roof", "typed with /pm", login.login])
        assert.include(text, piece);
      assert.notInclude(text, login.password);
    });

    it("/start does not restart the registration", async () => {
      assert.include((await chat.request("/start")).text, "already registered");
    });

    it("are private in a group, and processed only when addressed to this bot", async () => {
      const before = group.messages.length;
      for (const command of ["/start", "/reset", "/fetch", "/pm 5"])
        assert.include((await group.request(command)).text, "only in a private chat");
      group.write("what a day");
      group.write("/time@other_bot");
      assert.include((await group.request(`/time@${telegram.name}`)).text, "Server time");
      assert.lengthOf(group.messages.slice(before), 5);
    });

    it("report a revoked account", async () => {
      await server.context.accounts?.revoke(login.login);
      assert.include((await chat.request("/pm 5")).text, "Your account was revoked");
    });
  });

  it("/decode and /decompress report invalid input", async () => {
    const chat = anybody();
    const wrong = {
      "/decode 0xzz": "not hexadecimal",
      "/decode 0x123": "odd number",
      "/decode 0x12345678": "selector",
      "/decode 0x": "there are none",
      "/decompress 00": "not a bzip2 stream",
      "/decompress xyz": "not hexadecimal",
    };
    for (const [command, reason] of Object.entries(wrong))
      assert.include((await chat.request(command)).text, reason, command);
    const [large] = await chat.after(() => chat.sendDocument("0".repeat(600_000), "/decode"));
    assert.include(large.text, "more than 512 KiB");
  });

  it("/decompress sends the decompressed data: as text, as a file when long, unchanged when not text", async () => {
    const chat = anybody();
    const hexOf = (data: string | Uint8Array): string => Buffer.from(bzip2.compress(Buffer.from(data))).toString("hex");
    assert.include((await chat.request(`/decompress 0x${hexOf("1|0xab|station")}`)).text, "1|0xab|station");
    const long = "station ".repeat(2_000);
    const [file] = await chat.after(() => chat.write(`/decompress ${hexOf(long)}`));
    assert.equal(file.kind, "document");
    assert.include(file.file?.content.toString(), long);
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    const [binary] = await chat.after(() => chat.sendDocument(bzip2.compress(bytes), "/decompress"));
    assert.deepEqual([...(binary.file?.content ?? [])], [...bytes]);
  });

  it("/time, /balance, /synclog and /gethlog show the state of the server and its chain", async () => {
    const chat = anybody();
    assert.match(
      (await chat.request("/time")).text,
      /^Server time: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\nNewest block: \d+$/,
    );
    assert.match(
      (await chat.request("/balance")).text,
      /^System address: 0x[0-9a-fA-F]{40}\nBalance: [\d.]+ \(\d+ wei\)$/,
    );
    const sync = await chat.request("/synclog");
    const log = sync.file?.content.toString() ?? sync.text;
    assert.match(log, /includes block \d+ of \d+/);
    assert.match(log, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC blocks? \d+( to \d+)?$/m);
    const { text, file } = await chat.request("/gethlog");
    assert.match(file?.content.toString() ?? text, /ready blockNumber=\d+.*[^]*block blockNumber=\d+/);
  });

  it("respond to a press of an unknown button", async () => {
    const chat = anybody();
    chat.pressData("form:confirm:confirm");
    chat.pressData("garbage");
    await eventually(async () =>
      assert.deepEqual(
        chat.buttonResponses.slice(-2).map(({ text }) => text),
        Array(2).fill("This button belongs to an older question."),
      ),
    );
  });

  it("do not reveal the token or keys", async () => {
    const keys = await readFile(join(server.directory, "keys.json"), "utf8");
    const secrets = [telegram.token, ...(keys.match(/[0-9a-f]{64}/g) ?? [])];
    assert.isAbove(secrets.length, 2);
    for (const secret of secrets) {
      assert.notInclude(server.log.join("\n"), secret);
      assert.notInclude(JSON.stringify([...chat.messages, ...russian.messages]), secret);
    }
  });
});
