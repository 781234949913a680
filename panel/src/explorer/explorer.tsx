import { texts } from "../texts/texts.ts";
import { AddressView } from "./address/address-view.tsx";
import { AnchorView } from "./anchor/anchor-view.tsx";
import { DecodeView } from "./decode/decode-view.tsx";
import { BlockView } from "./block/block-view.tsx";
import "./explorer.css";
import { AnchorList, BlockList, TransactionList } from "./lists/lists.tsx";
import { NotFound } from "./not-found.tsx";
import { parts } from "./route.ts";
import { SearchView } from "./search/search-view.tsx";
import { SearchBox } from "./search/search-box.tsx";
import { StartView } from "./start/start-view.tsx";
import { TransactionView } from "./transaction/transaction-view.tsx";

/** The public data of the chain. */
export default function Explorer() {
  const [kind, id = ""] = parts.value;
  return (
    <div class="stack stack-wide">
      {kind === undefined ? null : <SearchBox key={parts.value.join("/")} text={kind === "search" ? id : ""} />}
      <View kind={kind} id={id} />
    </div>
  );
}

function View({ kind, id }: { kind: string | undefined; id: string }) {
  switch (kind) {
    case undefined:
      return <StartView />;
    case "block":
      return <BlockView key={id} id={id} />;
    case "tx":
      return <TransactionView key={id} hash={id} />;
    case "address":
      return <AddressView key={id} address={id} />;
    case "anchor":
      return <AnchorView key={id} hash={id} />;
    case "blocks":
      return <BlockList />;
    case "transactions":
      return <TransactionList />;
    case "anchors":
      return <AnchorList />;
    case "decode":
      return <DecodeView data={id} />;
    case "search":
      return <SearchView key={id} text={id} />;
    default:
      return <NotFound title={texts.value.common.noPage}>{texts.value.common.noPageHelp}</NotFound>;
  }
}
