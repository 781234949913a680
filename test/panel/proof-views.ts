import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import type { PanelStage } from "../support/panel.ts";

const DOCUMENT = "Minutes of the meeting of 21 November";
const PATH = "minutes.txt";

/** Records a document in a batch, and returns its proof. */
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

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function dropFile(page: Page, name: string, text: string): Promise<void> {
  await page
    .locator(".drop-input")
    .first()
    .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });
}

async function openTab(page: Page): Promise<void> {
  // A page with the same path does not reload: another address comes first.
  await page.goto("/explorer");
  await page.goto("/#/proofs");
  // The file of the view before is kept.
  await page.getByRole("heading", { level: 1, name: "Proofs" }).waitFor();
  const another = page.getByRole("button", { name: "Another file" });
  if (await another.isVisible()) await another.click();
  await page.locator(".drop").waitFor();
}

/** Views of files and their proofs. */
export const PROOF_VIEWS: readonly (readonly [name: string, open: (page: Page, stage: PanelStage) => Promise<void>])[] =
  [
    [
      "proof-known",
      async (page, stage) => {
        await recordDocument(stage);
        await openTab(page);
        await dropFile(page, PATH, DOCUMENT);
        await page.getByText("Recorded: exactly this content").waitFor();
      },
    ],
    [
      "proof-changed",
      async (page) => {
        await openTab(page);
        await dropFile(page, PATH, `${DOCUMENT}.`);
        await page.getByText("Changed: this is not the recorded content").waitFor();
      },
    ],
    [
      "proof-checked",
      async (page, stage) => {
        const bundle = await recordDocument(stage);
        await openTab(page);
        await dropFile(page, `${PATH}.bundle.json`, bundle);
        await page.getByText("Add the file").waitFor();
        await dropFile(page, PATH, DOCUMENT);
        await page.locator(".tree").waitFor();
      },
    ],
    [
      "explorer-proof",
      async (page, stage) => {
        const bundle = await recordDocument(stage);
        await page.goto("/explorer/proof");
        await dropFile(page, `${PATH}.bundle.json`, bundle);
        await page.locator(".tree").waitFor();
        await dropFile(page, PATH, DOCUMENT);
        await page.getByText("Verification passed").waitFor();
      },
    ],
    [
      "explorer-batch",
      async (page, stage) => {
        const { proof } = (await stage.server.get(`/api/v1/proof/${PATH}`)).body;
        await page.goto(`/explorer/tx/${proof.tx_hash}`);
        await page.locator(".drop").waitFor();
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
