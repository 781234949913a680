import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { parse } from "csv-parse/sync";
import type { Page } from "playwright-core";
import { seriousViolations } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { giveFiles, onlyVerdict, sha256, startAgain, verdictsOf } from "../support/dropped-files.ts";
import { openPanel, type PanelStage, REMOTE_NAME } from "../support/panel.ts";
import type { TestServer } from "../support/server.ts";
import { logIn } from "./steps.ts";
import { BUNDLE_VECTORS, DOCUMENT_PATH, TRUSTED_KEY, VALIDATORS } from "../vectors/bundles/vectors.ts";

const order = (index: number) => `order ${index}`;
const idOf = (index: number) => `orders/order ${index}.txt`;

async function bundleOf(server: TestServer, id: string): Promise<string> {
  return (await server.get(`/api/v1/proof/${encodeURIComponent(id)}?format=bundle`)).text;
}

async function statementOf(server: TestServer, type: string): Promise<Buffer> {
  const response = await fetch(`${server.url}/api/v1/recovery/attest`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: type },
    body: JSON.stringify({ document_id: idOf(7), audience: "court" }),
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

describeInBrowser("the page for verification", function () {
  let stage: PanelStage;
  let page: Page;
  let bundles: string[];
  /** Bodies that the page sent. */
  const sent: string[] = [];

  before(async () => {
    stage = await openPanel({}, { settings: { explorer: { rate: 100_000 } } });
    const documents = Array.from({ length: 13 }, (_, index) => ({
      document_id: idOf(index),
      hash: sha256(order(index)),
    }));
    await stage.server.post("/api/v1/proof/batch", { documents });
    bundles = await Promise.all(documents.map(({ document_id }) => bundleOf(stage.server, document_id)));
    // The page's policy blocks axe; the panel's tests check the policy.
    page = await (await stage.window({ bypassCSP: true, acceptDownloads: true, reducedMotion: "reduce" })).newPage();
    page.on("request", (request) => void sent.push(request.postData() ?? ""));
    await page.goto("/verify");
    await page.getByRole("heading", { level: 1, name: "Verify" }).waitFor();
  });
  after(() => stage?.[Symbol.asyncDispose]());
  beforeEach(() => startAgain(page));

  const bundle = (index: number): string => bundles[index] ?? assert.fail();
  const steps = () => page.locator(".checks strong").allTextContents();

  it("verifies a file with its bundle, whatever they are called and in any order", async () => {
    assert.deepEqual(await seriousViolations(page), []);
    await giveFiles(page, ["b.json", bundle(1)]);
    await onlyVerdict(page, "Cannot be said", /its file is missing/);
    assert.notInclude(await steps(), "Document");
    await giveFiles(page, ["a.txt", order(1)]);
    await onlyVerdict(page, "Verified", /existed, as it is now, when its block was produced: .* UTC/);
    assert.deepEqual(await steps(), [
      "Format",
      "Issuer's signature",
      "Document",
      "Recorded hash",
      "Batch",
      "Block header",
      "Transaction",
      "Receipt",
      "Node",
    ]);
    await page.getByText(idOf(1), { exact: true }).waitFor();
    await page.getByText("The chain as this server shows it", { exact: true }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
  });

  // Security, explorer: a proof with a forged signature never passes, whatever its path leads to
  // Security, explorer: an altered proof dropped into a page is shown with the failing step
  it("passes no changed file, and no changed or damaged bundle", async () => {
    const forged = bundle(2).replace(/("value":")[0-9a-f]{128}/, (_, name: string) => `${name}${"0".repeat(128)}`);
    const altered = bundle(2).replace(
      /"record_hash":"(.)/,
      (_, digit) => `"record_hash":"${digit === "a" ? "b" : "a"}`,
    );
    for (const [file, text, failed] of [
      ["another", bundle(2), "Document"],
      [order(2), forged, "Issuer's signature"],
      [order(2), altered, "Issuer's signature"],
      [order(2), ` {${bundle(2).slice(1)} `.replace('"anchor"', ' "anchor"'), "Format"],
      [order(2), bundle(2).slice(0, -20), "Format"],
    ] as const) {
      await startAgain(page);
      await giveFiles(page, ["order 2.txt", file], ["order 2.txt.bundle.json", text]);
      await onlyVerdict(page, "Not verified");
      assert.deepEqual(await page.locator(".check-bad strong").allTextContents(), [failed]);
    }
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("says what the server says as the server's word, and verifies with the bundle that it fetches", async () => {
    await giveFiles(page, ["renamed.txt", order(3)]);
    await onlyVerdict(page, "This content is recorded, according to this server");
    await page.getByText(idOf(3), { exact: true }).waitFor();
    await page.getByText("This server's word", { exact: true }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the bundle" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "renamed.txt.bundle.json");
    assert.equal(await readFile(await download.path(), "utf8"), bundle(3));
    await page.getByRole("button", { name: "Verify with its bundle" }).click();
    await onlyVerdict(page, "Verified");
  });

  it("says to those with an account that another file is recorded under a name, and judges this one not", async () => {
    await stage.server.post("/api/v1/proof", { document_id: "minutes.txt", hash: sha256("minutes") });
    await giveFiles(page, ["minutes.txt", "other minutes"]);
    await onlyVerdict(page, "This content is not recorded, according to this server");
    assert.equal(await page.getByText("Another file is recorded under this name").count(), 0);
    assert.isFalse(
      stage.requested.some((url) => url.includes("minutes")),
      "no name is sent",
    );
    const panel = await page.context().newPage();
    await panel.goto("/");
    await logIn(panel, stage.server.demo);
    await page.reload();
    await giveFiles(page, ["minutes.txt", "other minutes"]);
    await onlyVerdict(page, "This content is not recorded, according to this server");
    await page.locator(".notice-info").getByText("Another file is recorded under this name").waitFor();
    await page.getByText(sha256("minutes")).waitFor();
    assert.equal(await page.locator(".notice-bad, .notice-warning").count(), 0);
    await panel.getByRole("button", { name: "Log out" }).click();
    await panel.locator("[name=login]").waitFor();
    await panel.close();
    await page.reload();
  });

  it("verifies many files of a folder at once, and saves the results as a table", async () => {
    await giveFiles(
      page,
      ["renamed.txt", order(1)],
      ["x.bundle.json", bundle(1)],
      ["order 2.txt", "changed"],
      ["order 2.txt.bundle.json", bundle(2)],
      ["order 3.txt", order(3)],
      ["=cmd.txt", "a file that is called like a formula"],
      ["order 5.bundle.json", bundle(5)],
    );
    const verdicts = await verdictsOf(page, 5);
    assert.deepEqual(Object.fromEntries(verdicts), {
      "order 2.txt": "Not verified",
      "order 5.bundle.json": "Cannot be said",
      "=cmd.txt": "Not recorded, according to this server",
      "order 3.txt": "Recorded, according to this server",
      "renamed.txt": "Verified",
    });
    await page.getByText(`recorded as ${idOf(1)}`).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    const rows: Record<string, string>[] = parse(await readFile(await download.path()), { columns: true, bom: true });
    const row = (name: string) => rows.find((each) => each["name"] === name) ?? assert.fail(name);
    assert.lengthOf(rows, 5);
    assert.deepInclude(row("renamed.txt"), {
      verdict: "verified",
      recorded_as: idOf(1),
      sha256: sha256(order(1)),
      trusted: "The chain as this server shows it",
    });
    assert.match(row("renamed.txt")["time"] ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.deepInclude(row("order 2.txt"), { verdict: "not_verified", code: "document_differs", time: "" });
    assert.deepInclude(row("'=cmd.txt"), { verdict: "not_recorded" });
    await page.getByText("Not verified 1", { exact: true }).click();
    assert.equal(await page.locator(".table tbody tr").count(), 1);
    await page.getByRole("button", { name: "order 2.txt" }).click();
    await page.locator(".check-bad strong", { hasText: "Document" }).waitFor();
  });

  it("takes files and folders that are dropped with the mouse", async () => {
    const folder = await temporaryDirectory();
    await mkdir(join(folder, "orders/open"), { recursive: true });
    await writeFile(join(folder, "orders/open/1.txt"), order(1));
    await writeFile(join(folder, "orders/1.bundle.json"), bundle(1));
    await writeFile(join(folder, "two.txt"), order(2));
    const browser = await page.context().newCDPSession(page);
    const { x = 0, y = 0 } = (await page.locator(".drop").boundingBox()) ?? {};
    const data = { items: [], files: [join(folder, "orders"), join(folder, "two.txt")], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await browser.send("Input.dispatchDragEvent", { type, x: x + 20, y: y + 20, data });
    assert.deepEqual(Object.fromEntries(await verdictsOf(page, 2)), {
      "orders/open/1.txt": "Verified",
      "two.txt": "Recorded, according to this server",
    });
    await browser.detach();
    await removeDirectory(folder);
  });

  it("verifies a statement, as PDF or JWS, and the documents that it is about", async () => {
    const pdf = await statementOf(stage.server, "application/pdf");
    await giveFiles(page, ["statement.pdf", pdf]);
    // What a PDF shows is not what its statement says.
    const ofPdf = {
      "Signed statement in statement.pdf": "Verified",
      "statement.pdf": "Not recorded, according to this server",
    };
    assert.deepEqual(Object.fromEntries(await verdictsOf(page, 2)), ofPdf);
    await page.locator(".result-reason", { hasText: "Pages that are printed or shown are not checked" }).waitFor();
    await page.getByRole("button", { name: "Signed statement in statement.pdf" }).click();
    await page.getByText("Claims to be signed by", { exact: true }).waitFor();
    await giveFiles(page, ["copy.txt", order(7)]);
    assert.deepEqual(Object.fromEntries(await verdictsOf(page, 3)), { ...ofPdf, "copy.txt": "Verified" });
    await startAgain(page);
    const { attestation: jws } = JSON.parse(String(await statementOf(stage.server, "application/json")));
    await giveFiles(page, ["attestation.jws", jws]);
    await onlyVerdict(page, "Cannot be said", /The file is missing/);
    await giveFiles(page, ["any name.json", bundle(7)]);
    await onlyVerdict(page, "Verified");
    await startAgain(page);
    const last = jws.at(-10);
    await giveFiles(page, ["attestation.jws", `${jws.slice(0, -10)}${last === "A" ? "B" : "A"}${jws.slice(-9)}`]);
    await onlyVerdict(page, "Not verified", /signature/);
  });

  it("compares with keys and validators that the reader trusts, for chains of others too", async () => {
    const [vector] = BUNDLE_VECTORS.filter(({ name }) => name === "ibft2");
    await giveFiles(
      page,
      ["fox.txt", await readFile(DOCUMENT_PATH)],
      ["fox.bundle.json", vector?.text ?? assert.fail()],
    );
    await onlyVerdict(page, "Cannot be said", /is on chain \d+, the bundle is for chain/);
    await page.getByText("What you trust").click();
    await page.getByLabel("Id of the issuer's key").fill("12");
    await page.getByLabel("Addresses of the chain's validators").fill("0x12");
    await page.getByRole("button", { name: "Verify again" }).click();
    await page.getByText("The id of a key has 43 characters").waitFor();
    await page.getByText("One of these is not the address of a validator").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    // What the reader trusts takes the place of the server's chain, which is not asked.
    await page.route("**/explorer/api/**", (route) => route.abort());
    await page.getByLabel("Id of the issuer's key").fill(TRUSTED_KEY);
    await page.getByLabel("Addresses of the chain's validators").fill(VALIDATORS.join("\n"));
    await page.getByRole("button", { name: "Verify again" }).click();
    await onlyVerdict(page, "Verified");
    await page.getByText("The validators you named", { exact: true }).waitFor();
    assert.include(await steps(), "Commit seals");
    await page.getByLabel("Id of the issuer's key").fill(`${TRUSTED_KEY.slice(0, -1)}_`);
    await page.getByRole("button", { name: "Verify again" }).click();
    await onlyVerdict(page, "Not verified", /not with the trusted key/);
    await page.unroute("**/explorer/api/**");
    await page.getByLabel("Id of the issuer's key").fill("");
    await page.getByLabel("Addresses of the chain's validators").fill("");
    await page.getByRole("button", { name: "Verify again" }).click();
    await onlyVerdict(page, "Cannot be said");
  });

  it("accepts pasted hashes and a pasted bundle, and no other text", async () => {
    await page.getByText("Paste a hash instead").click();
    const field = page.getByLabel("SHA-256 of a file");
    const paste = async (text: string): Promise<void> => {
      await field.fill(text);
      await page.getByRole("button", { name: "Verify", exact: true }).click();
    };
    await paste("hello");
    await page.getByText("This is neither a list").waitFor();
    await paste(sha256(order(4)).toUpperCase());
    await onlyVerdict(page, "This content is recorded, according to this server");
    // A list says nothing about a file of the same name.
    await giveFiles(page, ["none.txt", order(4)]);
    await paste(`${sha256("nothing")}  none.txt\n${sha256(order(5))} *five.txt\n`);
    assert.equal(await page.getByText("none.txt", { exact: true }).count(), 2);
    assert.equal(await page.locator(".table tbody tr").count(), 4);
    await startAgain(page);
    await paste(`${sha256(order(4))}\n${sha256("nothing")}  none.txt\n${sha256(order(5))} *five.txt\n`);
    assert.deepEqual(Object.fromEntries(await verdictsOf(page, 3)), {
      "none.txt": "Not recorded, according to this server",
      "five.txt": "Recorded, according to this server",
      [sha256(order(4))]: "Recorded, according to this server",
    });
    await startAgain(page);
    await paste(bundle(6));
    await onlyVerdict(page, "Cannot be said", /its file is missing/);
    await giveFiles(page, ["six.txt", order(6)]);
    await onlyVerdict(page, "Verified");
  });

  it("is found from the explorer, the login and the address of before", async () => {
    const other = await stage.page("/explorer");
    await other.getByRole("searchbox").fill(bundle(8));
    await other.getByRole("button", { name: "Search" }).click();
    await onlyVerdict(other, "Cannot be said");
    await giveFiles(other, ["eight.txt", order(8)]);
    await onlyVerdict(other, "Verified");
    await other.goto("/explorer/proof");
    await other.getByRole("heading", { level: 1, name: "Verify" }).waitFor();
    await other.goto("/");
    await other.getByRole("link", { name: "Verify a file without an account." }).click();
    await other.getByRole("heading", { level: 1, name: "Verify" }).waitFor();
    await other.context().close();
  });

  it("cannot say what only the chain or the server could, while they do not respond", async () => {
    await page.route("**/explorer/api/**", (route) => route.abort());
    await giveFiles(page, ["nine.txt", order(9)], ["nine.bundle.json", bundle(9)]);
    await onlyVerdict(page, "Cannot be said");
    assert.deepEqual(await page.locator(".check-bad strong").allTextContents(), ["Node"]);
    await page.unroute("**/explorer/api/**");
    await startAgain(page);
    await page.route("**/api/v1/verify", (route) => route.abort());
    await giveFiles(page, ["nine.txt", order(9)]);
    await page.getByText("The server does not respond").waitFor();
    await page.getByText("the server could not be asked").waitFor();
    await page.unroute("**/api/v1/verify");
    await page.getByRole("button", { name: "Try again" }).click();
    await onlyVerdict(page, "This content is recorded, according to this server");
  });

  it("compares each block once, and does not let one bundle end the comparison of the others", async () => {
    const blocks: string[] = [];
    await page.route("**/explorer/api/blocks/**", (route) => {
      blocks.push(new URL(route.request().url()).pathname);
      return route.continue();
    });
    const absurd = JSON.parse(bundle(9));
    absurd.block.number = "9".repeat(20);
    await giveFiles(
      page,
      ["nine.txt", order(9)],
      ["nine.bundle.json", JSON.stringify(absurd)],
      ["ten.txt", order(10)],
      ["ten.bundle.json", bundle(10)],
    );
    const verdicts = Object.fromEntries(await verdictsOf(page, 2));
    assert.equal(verdicts["ten.txt"], "Verified");
    assert.notEqual(verdicts["nine.txt"], "Verified");
    await giveFiles(page, ["eleven.txt", order(11)], ["eleven.bundle.json", bundle(11)]);
    assert.equal((await verdictsOf(page, 3)).get("eleven.txt"), "Verified");
    assert.deepEqual(blocks, [...new Set(blocks)]);
    await page.unroute("**/explorer/api/blocks/**");
  });

  it("shows what it has while it waits for the chain, and can be stopped", async () => {
    const waiting: (() => void)[] = [];
    await page.route("**/explorer/api/chain", (route) => void waiting.push(() => void route.abort()));
    await giveFiles(
      page,
      ["nine.txt", order(9)],
      ["nine.bundle.json", bundle(9)],
      ["none.txt", "none"],
      ["none.jws", "no statement"],
    );
    await page.getByText("none.txt", { exact: true }).waitFor();
    await page.getByText("Waiting for the server").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    const verdicts = Object.fromEntries(await verdictsOf(page, 3));
    assert.deepEqual(verdicts, {
      "nine.txt": "Cannot be said",
      "none.txt": "Cannot be said",
      "Signed statement in none.jws": "Cannot be said",
    });
    assert.equal(await page.getByText("You stopped before").count(), 3);
    await page.unroute("**/explorer/api/chain");
    waiting.forEach((abort) => abort());
    // What is added afterwards is verified with the rest.
    await giveFiles(page, ["ten.txt", order(10)], ["ten.bundle.json", bundle(10)]);
    const after = await verdictsOf(page, 4);
    assert.deepEqual([after.get("nine.txt"), after.get("ten.txt")], ["Verified", "Verified"]);
  });

  it("requests a key when the server requires one, and another when it is wrong", async () => {
    // This server requires no key; the route simulates one that does.
    const unauthorized = {
      type: "urn:sealbook:problem:unauthorized",
      title: "Authentication is needed",
      status: 401,
      detail: "an API key or a token that is valid is needed",
    };
    await page.route("**/api/v1/**", async (route) =>
      (await route.request().headerValue("x-api-key")) === "right"
        ? route.continue()
        : route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify(unauthorized) }),
    );
    await giveFiles(page, ["nine.txt", order(9)]);
    await page.getByText("An API key is required.").waitFor();
    await page.getByLabel("API key or token").fill("wrong");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Enter another one").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByLabel("API key or token").fill("right");
    await page.getByRole("button", { name: "Try again" }).click();
    await onlyVerdict(page, "This content is recorded, according to this server");
    await page.unroute("**/api/v1/**");
  });

  it("hashes a large file in slices, and ends when it is cancelled", async () => {
    const large = randomBytes(20 * 1024 * 1024);
    await giveFiles(page, ["large.bin", large]);
    await page.getByText(sha256(large)).waitFor();
    await onlyVerdict(page, "This content is not recorded, according to this server");
    await startAgain(page);
    // A file that does not end: it has no bytes, so that the machine has not to have them either.
    await page.evaluate(`
      const part = new Blob([new Uint8Array(2 ** 20)]);
      const data = new DataTransfer();
      data.items.add(new File([new Blob(Array.from({ length: 8192 }, () => part))], "huge.bin"));
      data.items.add(new File(["small"], "small.txt"));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    `);
    await page.getByText("1 of 2 files").waitFor();
    await page.getByText(/left$/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    // What was read has its verdict.
    assert.deepEqual(Object.fromEntries(await verdictsOf(page, 2)), {
      "huge.bin": "Cannot be said",
      "small.txt": "Not recorded, according to this server",
    });
  });

  it("verifies nothing without the browser's cryptography, but asks the server", async () => {
    const { port } = new URL(stage.server.url);
    const other = await stage.page(`http://${REMOTE_NAME}:${port}/verify`);
    await giveFiles(other, ["nine.txt", order(9)], ["nine.bundle.json", bundle(9)]);
    await onlyVerdict(other, "Cannot be said", /no cryptography for pages without TLS/);
    await startAgain(other);
    await giveFiles(other, ["nine.txt", order(9)]);
    await onlyVerdict(other, "This content is recorded, according to this server");
    await other.context().close();
  });

  it("fits a phone, in dark mode and in Russian", async () => {
    const look = {
      viewport: { width: 360, height: 740 },
      colorScheme: "dark",
      locale: "ru-RU",
      bypassCSP: true,
      reducedMotion: "reduce",
    } as const;
    const phone = await (await stage.window(look)).newPage();
    await phone.goto("/verify");
    await phone.getByRole("heading", { level: 1, name: "Проверка" }).waitFor();
    await giveFiles(phone, ["a.txt", order(1)], ["b.json", bundle(1)]);
    await phone.getByText("Подтверждено", { exact: true }).waitFor();
    // Nothing of the verifier's English is left.
    assert.notMatch(await phone.locator(".checks").innerText(), /[a-z]{4,} [a-z]{2,}/);
    const check = async () => {
      assert.equal(await phone.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0);
      assert.deepEqual(await seriousViolations(phone), []);
    };
    await check();
    await giveFiles(phone, ["c.txt", order(2)], ["d.txt", "nothing"]);
    await phone.getByText("Все 3").waitFor();
    await check();
    await phone.reload();
    await giveFiles(phone, ["a.txt", order(2)], ["a.txt.bundle.json", bundle(1)]);
    await phone.locator(".check-bad").waitFor();
    await check();
    await phone.getByRole("combobox").selectOption("en");
    await phone.locator(".notice").getByText("The document's SHA-256 is").waitFor();
    await check();
    await phone.context().close();
  });

  // Security, explorer: a file or proof dropped into a page stays in the browser; only hashes are sent
  it("sends hashes, and no content of any file", () => {
    assert.isTrue(sent.some((body) => body.includes(sha256(order(3)))));
    for (const body of sent) assert.notMatch(body, /order \d|signature|anchor/);
    for (const address of stage.requested) {
      if (address.startsWith("blob:")) continue;
      assert.include(
        [stage.server.url, `http://${REMOTE_NAME}:${new URL(stage.server.url).port}`],
        new URL(address).origin,
      );
    }
    assert.deepEqual(
      stage.complaints.filter(
        (text) =>
          !/status of (401|404)|ERR_FAILED|^The (Cross-Origin-Opener-Policy|page requested an origin-keyed)/.test(text),
      ),
      [],
    );
  });
});
