import { type Decoder, type RowAudit, signedRow } from "../../records/index.ts";
import { malformed, SealbookError } from "../../errors.ts";
import { type Message, textMessage } from "../message.ts";
import type { SentDocument } from "../update.ts";
import { type Command, type Request, textReply } from "./command.ts";
import type { RateLimit } from "../../http/rate-limit.ts";
import { prefixedHex } from "../../kit/bytes.ts";
import type { Caller } from "../../kit/workers/worker-pool.ts";

const LARGEST_FILE_KIB = 512;
/** Maximum characters of a reply. */
const MAX_REPLY_LENGTH = 512 * 1024;
/** Indentation multiplies the size of nested data: larger ones are written without. */
const MAX_INDENTED_LENGTH = 16 * 1024;

export interface AuditDeps {
  readonly decoder: Pick<Decoder, "decode" | "decompress">;
  readonly audit: RowAudit;
  /** Counts a command of a user with an account. */
  readonly decodesPerAccount: RateLimit;
  /** Counts a command of any other user. */
  readonly decodesPerStranger: RateLimit;
  /** Downloads a file; returns `undefined` if it has more bytes than the maximum. */
  readonly file: (document: SentDocument, maximum: number) => Promise<Uint8Array | undefined>;
}

/** `/decode` and `/decompress`: decode data from the blockchain. */
export function auditCommands({
  decoder,
  audit,
  decodesPerAccount,
  decodesPerStranger,
  file,
}: AuditDeps): Record<"decode" | "decompress", Command> {
  /** Runs a command on its input; requests the input if there is none. */
  const on =
    (
      name: "decode" | "decompress",
      run: (input: Uint8Array, caller: Caller, request: Request) => Promise<Message>,
    ): Command =>
    async (request) => {
      const { argument, document, texts, user, incoming } = request;
      if (argument === "" && document === undefined) return textReply(texts.sendData(name), { ...user, awaits: name });
      const id = user.account?.address ?? `user ${incoming.sender}`;
      await (user.account === undefined ? decodesPerStranger(id) : decodesPerAccount(id));
      const sent = document === undefined ? Buffer.from(argument) : await file(document, LARGEST_FILE_KIB * 1024);
      if (sent === undefined) return textReply(texts.fileTooLarge(LARGEST_FILE_KIB));
      return { messages: [await run(bytesOf(sent), { group: "bot", id }, request)] };
    };

  return {
    decode: on("decode", async (input, caller, { texts }) => {
      const inputdata = prefixedHex(input);
      const { function: name, row, transaction, checks } = await decoder.decode(caller, inputdata);
      const { code, createdAt, sender, topic, payload } = row;
      const facts = { row: row.rowId, sender, code, topic, created: createdAt, payload };
      const found = await audit.verdictOf(signedRow(transaction, inputdata));
      const text = [
        texts.decoded(name),
        texts.checks(checks),
        found === undefined
          ? texts.noVerdict
          : texts.verdict(
              found.verdict,
              found.original.rowId.toString(),
              found.original.tableName,
              found.overwrittenBy !== undefined,
            ),
        ...Object.entries(facts).map(
          ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
        ),
        "",
        indented(transaction),
      ].join("\n");
      if (text.length > MAX_REPLY_LENGTH) {
        throw malformed("data", `decode to ${text.length} characters, and the bot sends at most ${MAX_REPLY_LENGTH}`);
      }
      return textMessage(text, "transaction.txt", texts.decodedCaption);
    }),

    decompress: on("decompress", async (input, caller, { texts }) => {
      const data = await decompressed(decoder, caller, input);
      const text = textOf(data);
      // Returns binary data as a file.
      if (text === undefined)
        return {
          kind: "file",
          name: "data.bin",
          content: data,
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

function indented(value: unknown): string {
  const text = JSON.stringify(value);
  const spaced = text.length <= MAX_INDENTED_LENGTH ? JSON.stringify(value, null, 2) : text;
  return spaced.length <= MAX_REPLY_LENGTH ? spaced : text;
}

async function decompressed(
  decoder: Pick<Decoder, "decompress">,
  caller: Caller,
  data: Uint8Array,
): Promise<Uint8Array> {
  try {
    return await decoder.decompress(caller, data);
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
