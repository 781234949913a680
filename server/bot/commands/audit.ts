import {
  type Bzip2,
  type DecodedTransaction,
  MAX_ROW_BYTES,
  type Row,
  type RowAudit,
  type RowFunction,
  signedRow,
} from "../../records/index.ts";
import { malformed, SealbookError } from "../../errors.ts";
import { textMessage } from "../message.ts";
import type { SentDocument } from "../update.ts";
import { type Command, type Request, textReply } from "./command.ts";
import { prefixedHex } from "../../kit/hex.ts";

const LARGEST_FILE_KIB = 512;

export interface AuditDeps {
  /** @throws SealbookError `malformed` */
  readonly decode: (inputdata: string) => {
    readonly function: RowFunction;
    readonly row: Row;
    readonly transaction: DecodedTransaction;
  };
  readonly audit: RowAudit;
  readonly bzip2: Pick<Bzip2, "decompress">;
  /** Downloads a file; returns `undefined` if it has more bytes than the maximum. */
  readonly file: (document: SentDocument, maximum: number) => Promise<Uint8Array | undefined>;
}

/** `/decode` and `/decompress`: decode data from the blockchain. */
export function auditCommands({ decode, audit, bzip2, file }: AuditDeps): Record<"decode" | "decompress", Command> {
  /** Runs a command on its input; requests the input if there is none. */
  const on =
    (
      name: "decode" | "decompress",
      run: (
        input: Uint8Array,
        request: Request,
      ) => ReturnType<typeof textMessage> | Promise<ReturnType<typeof textMessage>>,
    ): Command =>
    async (request) => {
      const { argument, document, texts, user } = request;
      if (argument === "" && document === undefined) return textReply(texts.sendData(name), { ...user, awaits: name });
      const sent = document === undefined ? Buffer.from(argument) : await file(document, LARGEST_FILE_KIB * 1024);
      if (sent === undefined) return textReply(texts.fileTooLarge(LARGEST_FILE_KIB));
      return { messages: [await run(bytesOf(sent), request)] };
    };

  return {
    decode: on("decode", async (input, { texts }) => {
      const { function: name, row, transaction } = decode(prefixedHex(input));
      const { code, createdAt, sender, topic, payload } = row;
      const facts = { row: row.rowId, sender, code, topic, created: createdAt, payload };
      const found = await audit.verdictOf(signedRow(transaction));
      const text = [
        texts.decoded(name),
        found === undefined
          ? texts.noVerdict
          : texts.verdict(
              found.verdict,
              found.original.rowId.toString(),
              found.original.tableName,
              found.overwrittenBy !== undefined,
              found.replays,
            ),
        ...Object.entries(facts).map(
          ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
        ),
        "",
        JSON.stringify(transaction, null, 2),
      ];
      return textMessage(text.join("\n"), "transaction.txt", texts.decodedCaption);
    }),

    decompress: on("decompress", (input, { texts }) => {
      const data = decompressed(bzip2, input);
      const text = textOf(data);
      // Returns binary data as a file.
      if (text === undefined)
        return {
          kind: "file",
          name: "data.bin",
          content: Buffer.from(data).toString("base64"),
          caption: texts.decompressedCaption,
        };
      return textMessage(`${texts.decompressed(data.length)}\n${text}`, "data.txt", texts.decompressedCaption);
    }),
  };
}

/** Decodes hexadecimal text. A file can also contain the compressed bytes. */
function bytesOf(sent: Uint8Array): Uint8Array {
  if (Buffer.from(sent.subarray(0, 3)).toString("latin1") === "BZh") return sent;
  const digits = Buffer.from(sent).toString("latin1").replace(/\s+/gu, "").replace(/^0x/iu, "");
  if (digits === "") throw malformed("data", "there are none");
  const invalid = /[^0-9a-f]/iu.exec(digits)?.[0];
  if (invalid !== undefined) throw malformed("data", `not hexadecimal: it contains ${JSON.stringify(invalid)}`);
  if (digits.length % 2 !== 0) throw malformed("data", "an odd number of hexadecimal digits");
  return Buffer.from(digits, "hex");
}

function decompressed(bzip2: AuditDeps["bzip2"], data: Uint8Array): Uint8Array {
  try {
    return bzip2.decompress(data, MAX_ROW_BYTES);
  } catch (error) {
    throw error instanceof SealbookError && error.code === "malformed"
      ? malformed("data", error.message, error)
      : error;
  }
}

function textOf(data: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    return text === "" || text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
