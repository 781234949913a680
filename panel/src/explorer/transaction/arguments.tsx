import type { DecodedArgument } from "../../../../client/index.ts";
import { CodeBlock } from "../../components/code-block.tsx";
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
        { title: words.argument, cell: (argument) => <Value of={argument} /> },
      ]}
    />
  );
}

function Value({ of: { name, type, value } }: { of: DecodedArgument }) {
  const text = String(value);
  if (type === "address") return <Hash whole value={text} href={addressOf("address", text)} />;
  return text.length <= LONGEST ? <span class="mono">{text}</span> : <CodeBlock text={text} label={name} />;
}
