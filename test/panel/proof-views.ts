import type { Page } from "playwright-core";
import { giveFiles, type GivenFile, sha256, startAgain } from "../support/dropped-files.ts";
import type { PanelStage } from "../support/panel.ts";

const DOCUMENT = "Minutes of the meeting of 21 November";
const PATH = "minutes.txt";

/** Records a document in a batch, and returns its bundle. */
async function recordDocument({ server }: PanelStage): Promise<string> {
  const known = await server.get(`/api/v1/proof/${PATH}?format=bundle`);
  if (known.status === 200) return known.text;
  const others = Array.from({ length: 12 }, (_, index) => ({
    document_id: `order ${index}`,
    hash: sha256(`order ${index}`),
  }));
  await server.post("/api/v1/proof/batch", {
    documents: [...others.slice(0, 5), { document_id: PATH, hash: sha256(DOCUMENT) }, ...others.slice(5)],
  });
  return (await server.get(`/api/v1/proof/${PATH}?format=bundle`)).text;
}

/** Opens the page for verification, and gives it files. */
async function openVerify(page: Page, ...files: readonly GivenFile[]): Promise<void> {
  await page.goto("/verify");
  await page.locator(".drop").waitFor();
  await startAgain(page);
  if (files.length > 0) await giveFiles(page, ...files);
}

/** Views of files and their proofs. */
export const PROOF_VIEWS: readonly (readonly [name: string, open: (page: Page, stage: PanelStage) => Promise<void>])[] =
  [
    ["verify-empty", (page) => openVerify(page)],
    [
      "verify-recorded",
      async (page, stage) => {
        await recordDocument(stage);
        await openVerify(page, [PATH, DOCUMENT]);
        await page.locator(".notice").waitFor();
      },
    ],
    [
      "verify-another",
      async (page) => {
        await openVerify(page, [PATH, `${DOCUMENT}.`]);
        await page.locator(".notice").nth(1).waitFor();
      },
    ],
    [
      "verify-changed",
      async (page, stage) => {
        await openVerify(page, [PATH, `${DOCUMENT}.`], [`${PATH}.bundle.json`, await recordDocument(stage)]);
        await page.locator(".check-bad").waitFor();
      },
    ],
    [
      "verify-passed",
      async (page, stage) => {
        await openVerify(page, ["copy.txt", DOCUMENT], [`${PATH}.bundle.json`, await recordDocument(stage)]);
        await page.locator(".notice-good").waitFor();
      },
    ],
    [
      "verify-many",
      async (page, stage) => {
        const bundle = await recordDocument(stage);
        await openVerify(
          page,
          ["copy.txt", DOCUMENT],
          [`${PATH}.bundle.json`, bundle],
          ["order 1.txt", "order 1"],
          ["order 2.txt", "order 2"],
          ["notes.txt", "notes"],
          ["damaged.bundle.json", bundle.slice(0, -9)],
        );
        await page.locator(".table .badge").nth(4).waitFor();
      },
    ],
    [
      "proof",
      async (page, stage) => {
        await recordDocument(stage);
        await page.goto(`/proof/${PATH}`);
        await page.locator("main svg, main canvas, main img").first().waitFor();
        await page.waitForLoadState("networkidle");
      },
    ],
    [
      "proofs-recorded",
      async (page, stage) => {
        await recordDocument(stage);
        await page.goto("/proofs");
        await page.locator("tbody td").first().waitFor();
      },
    ],
    [
      "verify-offline",
      async (page) => {
        await page.goto("/verify/offline.html");
        await giveFiles(page, [PATH, DOCUMENT]);
        await page.locator(".notice").waitFor();
      },
    ],
    [
      "explorer-nowhere",
      async (page) => {
        await page.goto("/nowhere");
        await page.getByRole("heading").first().waitFor();
      },
    ],
    [
      "explorer-batch",
      async (page, stage) => {
        const { proof } = (await stage.server.get(`/api/v1/proof/${PATH}`)).body;
        await page.goto(`/explorer/tx/${proof.tx_hash}`);
        await page.locator(".card").first().waitFor();
      },
    ],
    [
      "explorer-block",
      async (page) => {
        await page.goto("/explorer/block/6");
        await page.locator(".table").waitFor();
      },
    ],
    [
      "explorer-address",
      async (page, { server }) => {
        await page.goto(`/explorer/address/${server.demo.login}`);
        await page.locator(".table").waitFor();
      },
    ],
    [
      "explorer-nothing",
      async (page) => {
        await page.goto(`/explorer/search/${sha256("nothing")}`);
        await page.locator(".empty").waitFor();
      },
    ],
  ];
