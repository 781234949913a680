import { signal } from "@preact/signals";
import { strToU8, zipSync } from "fflate";
import type { RecordedDocument } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { saveFile } from "../components/save-file.ts";
import { texts } from "../texts/texts.ts";
import { onForget } from "../session/kept.ts";

/** A rate of the server ends no download. */
const RETRY_FOR_MILLISECONDS = 120_000;
/** Bundles that are fetched at the same time. */
const AT_ONCE = 4;

/** Fetches the bundles of documents, and saves them as one file. */
class BundleDownload {
  /** `undefined` while nothing is fetched. */
  readonly progress = signal<{ readonly done: number; readonly all: number } | undefined>(undefined);
  /** Documents without a bundle in the file, and why the first one has none. */
  readonly missing = signal<readonly { readonly name: string; readonly reason: unknown }[]>([]);
  #run = new AbortController();

  async save(documents: readonly RecordedDocument[]): Promise<void> {
    if (this.progress.value !== undefined) return;
    const { signal: aborted } = (this.#run = new AbortController());
    this.missing.value = [];
    this.progress.value = { done: 0, all: documents.length };
    const files: Record<string, Uint8Array> = {};
    const client = proofClient(RETRY_FOR_MILLISECONDS);
    const queue = documents.values();
    const work = async (): Promise<void> => {
      for (const { id, document_id } of queue) {
        try {
          const text = await client.bundle(id, { signal: aborted });
          if (text === undefined) throw new Error(texts.value.verify.download.missing);
          files[freeName(pathOf(document_id), files)] = strToU8(text);
        } catch (reason) {
          if (aborted.aborted) return;
          noteUnauthorized(reason);
          this.missing.value = [...this.missing.value, { name: document_id, reason }];
        }
        this.progress.value = { done: (this.progress.value?.done ?? 0) + 1, all: documents.length };
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (aborted.aborted) return;
    if (Object.keys(files).length > 0) saveFile(zipSync(files), "bundles.zip", "application/zip");
    this.progress.value = undefined;
  }

  stop(): void {
    this.#run.abort();
    this.progress.value = undefined;
    this.missing.value = [];
  }
}

/** The download of this page. */
export const bundles = new BundleDownload();
onForget(() => bundles.stop());

/** The path of a bundle in the zip: that of its document, without what leads out of a folder or is not for names. */
function pathOf(documentId: string): string {
  const parts = documentId
    // eslint-disable-next-line no-control-regex -- control characters are what is replaced
    .replace(/[\u0000-\u001f\u007f\\:*?"<>|]/g, "_")
    .split("/")
    .filter((part) => part !== "")
    .map((part) => part.replace(/^\.+$/, "_").replace(/[. ]+$/, "_"));
  return parts.length === 0 ? "_" : parts.join("/");
}

function freeName(path: string, files: Readonly<Record<string, unknown>>): string {
  for (let number = 1; ; number += 1) {
    const name = `${number === 1 ? path : `${path} (${number})`}.bundle.json`;
    if (!Object.hasOwn(files, name)) return name;
  }
}
