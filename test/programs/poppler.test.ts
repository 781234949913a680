import { readFile, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { assert } from "chai";
import { PDFDocument } from "@cantoo/pdf-lib";
import qrcode from "qrcode";
import { runTool } from "../support/debian-tools.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

describe("attestations as PDF, read by Poppler", () => {
  let server: TestServer;
  let directory: string;
  let proof: ParsedJson;
  let bytes: Uint8Array;
  const path = (name: string): string => join(directory, name);
  before(async () => {
    directory = await temporaryDirectory();
    server = await startServer({ ISSUER_NAME: "Archiv der Häfen" });
    const hash = createHash("sha256").update("scanned").digest("hex");
    const document = { document_id: "scanned Größe Договор № 7", hash, metadata: { timestamp: 1 } };
    proof = (await server.post("/api/v1/proof", document)).body.proof;
    const response = await fetch(`${server.url}/api/v1/recovery/attest`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/pdf" },
      body: JSON.stringify({ document_id: proof.document_id, audience: "seller" }),
    });
    assert.equal(response.status, 200);
    bytes = new Uint8Array(await response.arrayBuffer());
    await writeFile(path("a.pdf"), bytes);
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  it("have the size of paper, and embedded subsets of fonts with the characters of their glyphs", async () => {
    assert.match(await runTool("pdfinfo", path("a.pdf")), /^Page size:.*\(A4\)$/m);
    const [, , ...fonts] = (await runTool("pdffonts", path("a.pdf"))).trimEnd().split("\n");
    assert.lengthOf(fonts, 3);
    for (const font of fonts) assert.match(font, /^[A-Z]{6}\+DejaVu\S+ +CID TrueType +Identity-H +yes yes yes /);
  });

  it("contain the QR code of the newest record's transaction", async () => {
    const [page] = (await PDFDocument.load(bytes)).getPages();
    const { width = 0, height = 0 } = page?.getSize() ?? {};
    // Rendered large, and looked at in the middle of each module.
    const dpi = 300;
    await runTool(
      "pdftoppm",
      "-r",
      String(dpi),
      "-gray",
      "-f",
      "1",
      "-l",
      "1",
      "-singlefile",
      path("a.pdf"),
      path("page"),
    );
    const picture = await readFile(path("page.pgm"));
    const [head = "", columns = ""] =
      /^P5\s+(\d+)\s+\d+\s+255\s/.exec(picture.subarray(0, 64).toString("latin1")) ?? [];
    const isDark = (x: number, y: number): boolean =>
      (picture[head.length + Math.round((y * dpi) / 72) * Number(columns) + Math.round((x * dpi) / 72)] ?? 255) < 128;
    const { size, data } = qrcode.create(`${server.url}/explorer/tx/${proof.tx_hash}`, {
      errorCorrectionLevel: "M",
    }).modules;
    const [margin, side] = [56, 92];
    const module = side / size;
    const read = Array.from({ length: size * size }, (_, index) =>
      isDark(
        width - margin - side + ((index % size) + 0.5) * module,
        margin + (Math.floor(index / size) + 0.5) * module,
      ),
    );
    assert.isAbove(height, 0);
    assert.deepEqual(
      read,
      Array.from(data, (bit) => bit === 1),
    );
    // Nothing but paper around it.
    for (let index = -4; index < size + 4; index += 1) {
      const along = margin + (index + 0.5) * module;
      assert.isFalse(isDark(width - margin - side - 2 * module, along), "left");
      assert.isFalse(isDark(width - margin + 2 * module, along), "right");
    }
  });
});
