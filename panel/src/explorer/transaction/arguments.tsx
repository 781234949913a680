import type { DecodedArgument } from "../../../../client/index.ts";
import { Table } from "../../components/table.tsx";
import { texts } from "../../texts/texts.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";

const LONGEST = 200;

/** Values with the names of the contract's ABI. */
export function Arguments({ of, caption }: { of: readonly DecodedArgument[]; caption: string }) {
  const { transaction: words } = texts.value.explorer;
  return (
    <Table
      caption={caption}
      rows={of}
      keyOf={({ name }) => name}
      columns={[
        {
          title: words.name,
          cell: ({ name, type }) => (
            <>
              <span class="mono">{name}</span> <span class="muted small mono">{type}</span>
            </>
          ),
        },
        { title: words.argument, cell: ({ type, value }) => <Value type={type} value={value} /> },
      ]}
    />
  );
}

function Value({ type, value }: { type: string; value: string | boolean }) {
  const text = String(value);
  if (type === "address") return <Hash whole value={text} href={addressOf("address", text)} />;
  if (text.length <= LONGEST) return <span class="mono">{text}</span>;
  return (
    <span class="mono">
      {text.slice(0, LONGEST)}… <span class="muted">{texts.value.explorer.transaction.characters(text.length)}</span>
    </span>
  );
}
