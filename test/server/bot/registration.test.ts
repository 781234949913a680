import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { TALKATIVE, botVariables, fillIn, register } from "../../support/bot.ts";
import { eventually } from "../../support/eventually.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Chat, TelegramServer } from "../../support/telegram-server.ts";

describe("registration with the bot", () => {
  let telegram: TelegramServer;
  let server: TestServer;
  let people = 3000;
  const anybody = (language?: string): Chat => telegram.person((people += 1), language);
  before(async () => {
    telegram = await new TelegramServer().start();
    server = await startServer(botVariables(telegram), {
      settings: { telegram: { ...TALKATIVE.telegram, passwordSeconds: 1 } },
    });
  });
  after(async () => {
    await server.stop();
    telegram.stop();
  });
  const accounts = async (): Promise<number> => server.context.journal.accounts.count();

  it("asks the questions in order, shows a summary, and creates an account after the confirmation", async () => {
    const chat = anybody();
    const before = await accounts();
    assert.match((await chat.request("/start")).text, /^1 of 5\. What is your name/);
    assert.match((await chat.request("Somchai")).text, /^2 of 5\. .*sensor or device/);
    const locationQuestion = await chat.request("SDS011");
    assert.match(locationQuestion.text, /^3 of 5\. Where/);
    assert.deepEqual(locationQuestion.keys, ["📍 Share my location", "⬅ Back", "✖ Cancel"]);
    const [noted, title] = await chat.after(() => chat.share(13.7563, 100.5018), 2);
    assert.equal(noted.text, "Location: 13.7563, 100.5018");
    assert.deepEqual(noted.keys, [], "the keyboard is removed");
    assert.match(title?.text ?? "", /^4 of 5\. Which caption/);
    assert.match((await chat.request("Roof")).text, /^5 of 5\. Where do the values come from/);
    const form = await chat.request("https://sensor.example/data.json $.sensors[0].pm25");
    for (const piece of [
      "Somchai",
      "SDS011",
      "13.7563, 100.5018",
      "Roof",
      "https://sensor.example/data.json $.sensors[0].pm25",
    ])
      assert.include(form.text, piece);
    assert.equal(await accounts(), before);
    await chat.after(() => chat.press("✅ Confirm"), 2);
    assert.equal(await accounts(), before + 1);
  });

  describe("creates an account", () => {
    let chat: Chat;
    let account: { login: string; password: string };
    before(async () => {
      chat = anybody();
      account = await register(chat, { place: "12.345678, 98.765432", title: "Unmistakable" });
    });

    it("and sends login and password once, valid for the API, in a message that deletes itself", async () => {
      const { login, password } = account;
      await server.login(account);
      const message = chat.messages.find(({ text }) => text.includes(password)) ?? assert.fail("no password");
      assert.deepEqual(
        message.entities.map(({ offset, length }) => message.text.slice(offset, offset + length)),
        [login, password],
      );
      await eventually(async () => assert.isTrue(message.isDeleted));
      assert.lengthOf(
        chat.messages.filter(({ text }) => text.includes(password)),
        1,
      );
      assert.lengthOf(
        chat.messages.filter(({ isDeleted }) => isDeleted),
        1,
      );
    });

    // Security, bot: a reader of the database learns Telegram numbers, addresses of accounts and times
    // Security, bot: a reader of the database finds no message, key or password
    it("and stores no password, name or place in plain text, and its key file for its owner only", async () => {
      const files = ["sealbook.sqlite", "sealbook.sqlite-wal"].map((name) => readFile(join(server.directory, name)));
      const database = Buffer.concat(await Promise.all(files));
      for (const text of [account.password, "12.345678", "Unmistakable", "Somchai"])
        assert.isFalse(database.includes(text), text);
      assert.equal(statSync(join(server.directory, "bot-key")).mode & 0o777, 0o600);
      for (const text of [account.password, "Unmistakable", telegram.token])
        assert.notInclude(server.log.join("\n"), text);
    });

    it("which /reset keeps when it edits the form", async () => {
      const before = await accounts();
      assert.match((await chat.request("/reset")).text, /^1 of 5[^]*Now: Somchai$/);
      await chat.request("Malee");
      await chat.after(() => chat.press("✔ Keep as it is"));
      await chat.after(() => chat.write("-1.5, 2"), 2);
      await chat.after(() => chat.press("✔ Keep as it is"));
      await chat.after(() => chat.press("✔ Keep as it is"));
      assert.include((await chat.after(() => chat.press("✅ Confirm")))[0].text, "The form is saved");
      const { text } = await chat.request("/fetch");
      for (const piece of ["Malee", "SDS011", "-1.5, 2", "Unmistakable", account.login]) assert.include(text, piece);
      assert.equal(await accounts(), before);
    });
  });

  describe("reports invalid input and repeats the question", () => {
    let chat: Chat;
    before(async () => {
      chat = anybody();
      await chat.request("/start");
    });
    const wrong = async (act: () => unknown, reason: string, expected: RegExp): Promise<void> => {
      const [{ text }] = await chat.after(act);
      assert.include(text.split("\n\n")[0], reason);
      assert.match(text, expected);
    };

    it("at the name", async () => {
      await wrong(() => chat.write("   "), "empty", /^1 of 5/m);
      await wrong(() => chat.write("x".repeat(65)), "at most 64", /^1 of 5/m);
      await wrong(() => chat.write("two\nlines"), "one line", /^1 of 5/m);
      await wrong(() => chat.sendSticker(), "answer with a text", /^1 of 5/m);
      await wrong(() => chat.share(1, 2), "answer with a text", /^1 of 5/m);
      await chat.request("Somchai");
    });

    it("at the device", async () => {
      await wrong(() => chat.write("x".repeat(65)), "at most 64", /^2 of 5/m);
      await wrong(() => chat.sendDocument("x"), "answer with a text", /^2 of 5/m);
      await chat.request("SDS011");
    });

    it("at the location", async () => {
      await wrong(() => chat.write("at home"), "is not a location", /^3 of 5/m);
      await wrong(() => chat.write("13.75"), "is not a location", /^3 of 5/m);
      await wrong(() => chat.write("91, 0"), "latitude must be", /^3 of 5/m);
      await wrong(() => chat.write("0, 181"), "longitude must be", /^3 of 5/m);
      await wrong(() => chat.sendSticker(), "is not a location", /^3 of 5/m);
      const [noted] = await chat.after(() => chat.write("13°S 100.5°W"), 2);
      assert.equal(noted.text, "Location: -13, -100.5");
    });

    it("at the caption and the source", async () => {
      // Another user: messages to one user are rate limited.
      chat = anybody();
      for (const text of ["/start", "Somchai", "SDS011"]) await chat.request(text);
      await chat.after(() => chat.write("1, 2"), 2);
      await wrong(() => chat.write(" "), "empty", /^4 of 5/m);
      await chat.request("Roof");
      const faults = {
        "at home": "does not start with an address",
        "ftp://sensor.example/ $.a": "does not start with an address",
        "https://sensor.example/": "path to the value is missing",
        "https://sensor.example/ $..a": "path is invalid",
        "https://me:secret@sensor.example/ $.a": "name or password",
      };
      for (const [text, reason] of Object.entries(faults)) await wrong(() => chat.write(text), reason, /^5 of 5/m);
      await chat.after(() => chat.press("⌨ Type the values"));
    });

    it("at the confirmation", async () => {
      await wrong(() => chat.write("yes"), "press one of the buttons", /Is this correct/);
    });
  });

  it("goes back and forth, keeps the answers, and deletes all of them on cancellation", async () => {
    const chat = anybody();
    await fillIn(chat);
    assert.match((await chat.after(() => chat.press("⬅ Back")))[0].text, /^5 of 5[^]*Now: typed with \/pm$/);
    assert.match((await chat.after(() => chat.press("⬅ Back")))[0].text, /^4 of 5[^]*Now: Roof$/);
    assert.match((await chat.after(() => chat.press("⬅ Back")))[0].text, /^3 of 5[^]*Now: 13.75, 100.5$/);
    const [, caption] = await chat.after(() => chat.write("✔ Keep as it is"), 2);
    assert.match(caption?.text ?? "", /^4 of 5/);
    await chat.request("Balcony");
    const [form] = await chat.after(() => chat.press("✔ Keep as it is"));
    assert.include(form.text, "Caption: Balcony");
    // A button of an older question changes nothing.
    chat.pressData("form:back:title");
    await eventually(async () =>
      assert.equal(chat.buttonResponses.at(-1)?.text, "This button belongs to an older question."),
    );
    assert.include((await chat.after(() => chat.press("✖ Cancel")))[0].text, "nothing has changed");
    assert.include((await chat.request("/fetch")).text, "There is no form yet");
    chat.pressData("form:confirm:confirm");
    await eventually(async () =>
      assert.equal(chat.buttonResponses.at(-1)?.text, "This button belongs to an older question."),
    );
  });

  it("creates one account for repeated presses of Confirm", async () => {
    const chat = anybody();
    await fillIn(chat);
    const before = await accounts();
    await chat.after(() => [1, 2, 3].map(() => chat.press("✅ Confirm")), 2);
    await eventually(async () =>
      assert.lengthOf(
        chat.buttonResponses.filter(({ text }) => text !== undefined),
        2,
      ),
    );
    assert.equal(await accounts(), before + 1);
  });

  it("serves users concurrently, each in their language", async () => {
    const [one, other] = [anybody(), anybody("ru")];
    const before = await accounts();
    await Promise.all([
      register(one, { device: "A" }),
      (async () => {
        await other.request("/start");
        await other.request("Маша");
        await other.request("Б-1");
        await other.after(() => other.share(55.75, 37.61), 2);
        await other.request("Крыша");
        await other.after(() => other.press("⌨ Ввожу значения сам"));
        await other.after(() => other.press("✅ Подтвердить"), 2);
      })(),
    ]);
    assert.equal(await accounts(), before + 2);
    const [first, second] = await Promise.all([one.request("/pm 1"), other.request("/pm 2")]);
    assert.include(first.text, "Stored: 1 ");
    assert.include(second.text, "Сохранено: 2 ");
  });
});
