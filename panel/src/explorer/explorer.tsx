import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { Lazy } from "../components/lazy.tsx";
import { Shell } from "../shell.tsx";
import { texts } from "../texts/texts.ts";
import { AddressView } from "./address/address-view.tsx";
import { AnchorView } from "./anchor/anchor-view.tsx";
import { BlockView } from "./block/block-view.tsx";
import "./explorer.css";
import { NotFound } from "./not-found.tsx";
import { addressOf, isVerify, parts, VERIFY } from "./route.ts";
import { SearchView } from "./search/search-view.tsx";
import { SearchBox } from "./search/search-box.tsx";
import { StartView } from "./start/start-view.tsx";
import { TransactionView } from "./transaction/transaction-view.tsx";

const loadVerify = () => import("../verify/verify-page.tsx");

/** What needs no account: the public data of the chain, and the verification of files. */
export function Explorer() {
  const [kind, id = ""] = parts.value;
  const isFirst = useRef(true);
  useEffect(() => {
    // Moves the focus of screen readers to the new view.
    if (!isFirst.current) document.getElementById("view")?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [parts.value]);
  return (
    <Shell
      home={addressOf()}
      part={texts.value.common.explorer}
      navigation={
        <a class="explorer-check" href={VERIFY} aria-current={isVerify.value ? "page" : undefined}>
          <Icon name="proofs" />
          <span>{texts.value.verify.title}</span>
        </a>
      }
      end={
        <a class="explorer-panel" href="/">
          {texts.value.explorer.toPanel}
        </a>
      }
    >
      {isVerify.value ? (
        <Lazy load={loadVerify} />
      ) : (
        <div class="stack stack-wide">
          {kind === undefined ? null : <SearchBox key={parts.value.join("/")} text={kind === "search" ? id : ""} />}
          <View kind={kind} id={id} />
        </div>
      )}
    </Shell>
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
    case "search":
      return <SearchView key={id} text={id} />;
    default:
      return <NotFound title={texts.value.common.noPage}>{texts.value.common.noPageHelp}</NotFound>;
  }
}
