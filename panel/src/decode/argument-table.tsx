import type { ComponentChildren } from "preact";
import type { DecodedTransaction } from "../../../client/index.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { Table } from "../components/table.tsx";
import { texts } from "../texts/texts.ts";
import { textOf } from "./call-data.ts";

/** The arguments, in the order of the call. */
const NAMES = ["tabname", "rowid", "rowdata", "comp", "signature"] as const;

interface Argument {
  readonly name: (typeof NAMES)[number];
  readonly type: string;
  readonly reference: string;
  readonly length: number | undefined;
  /** Its bytes; `undefined` for an argument of fixed length. */
  readonly hex: string | undefined;
}

/** Every argument of the call, by the ABI. */
export function ArgumentTable({ transaction }: { transaction: DecodedTransaction }) {
  const words = texts.value.decode;
  const rows = NAMES.map((name): Argument => {
    const element = transaction[name];
    const dynamic =
      "hexdata" in element
        ? { length: Number(element.length), hex: String(element.hexdata) }
        : { length: undefined, hex: undefined };
    return { name, type: element.type, reference: String(element.reference), ...dynamic };
  });
  return (
    <Table
      caption={words.fields}
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        {
          title: words.argument,
          cell: ({ name }) => (
            <>
              <strong>{words.names[name]}</strong>
              <br />
              <code class="muted">{name}</code>
            </>
          ),
        },
        { title: words.type, cell: ({ type }) => <code>{type}</code> },
        { title: words.reference, cell: ({ reference }) => <span class="number">{reference}</span> },
        {
          title: words.length,
          cell: ({ length }) => (length === undefined ? "–" : <span class="number nowrap">{words.bytes(length)}</span>),
        },
        { title: words.value, cell: (argument) => <Value argument={argument} /> },
      ]}
    />
  );
}

function Value({ argument: { name, hex, reference } }: { argument: Argument }): ComponentChildren {
  const words = texts.value.decode;
  if (name === "comp") return reference === "0" ? words.no : words.yes;
  if (hex === undefined) return reference;
  return (
    <div class="argument-value">
      <div>
        {name === "rowdata" ? null : <p class="mono">{textOf(hex)}</p>}
        <p
          class="mono muted small argument-hex"
          tabIndex={0}
          role="region"
          aria-label={`${words.names[name]}: ${words.bytes(hex.length / 2)}`}
        >
          {hex}
        </p>
      </div>
      <CopyButton text={hex} label={`${texts.value.common.copy}: ${words.names[name]}`} />
    </div>
  );
}
