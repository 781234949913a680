import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { StoreContent } from "../../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { draft } from "./draft.ts";
import { list, loadMore, query, restore, search } from "./record-list.ts";
import { RecordItem } from "./record-item.tsx";
import { SearchForm } from "./search-form.tsx";
import { SendDialog } from "./send-dialog.tsx";
import "./records.css";

/** The stored records, newest first, and a form to send one. */
export default function Records() {
  const stored = useSignal<StoreContent | undefined>(undefined);
  const { records: words } = texts.value;
  useEffect(() => {
    if (list.records.value === undefined) void restore();
  }, []);
  const onStored = (record: StoreContent) => {
    draft.isOpen.value = false;
    stored.value = record;
    void search();
  };
  return (
    <div class="stack stack-wide">
      <div class="heading">
        <div>
          <h1>{words.title}</h1>
          <p>{words.lead}</p>
        </div>
        {session.current.value?.scope === "full" ? (
          <Button kind="main" icon="plus" onClick={() => (draft.isOpen.value = true)}>
            {words.send}
          </Button>
        ) : null}
      </div>
      <SearchForm />
      {stored.value === undefined ? null : <Notice kind="good">{words.stored(stored.value.chainid)}</Notice>}
      {list.failure.value === undefined ? null : <ErrorNotice error={list.failure.value} />}
      <RecordList />
      {draft.isOpen.value ? <SendDialog onStored={onStored} onClose={() => (draft.isOpen.value = false)} /> : null}
    </div>
  );
}

function RecordList() {
  const { records: words } = texts.value;
  const found = list.records.value;
  if (found === undefined) return list.isLoading.value ? <Progress>{words.searching}</Progress> : null;
  if (found.length === 0) {
    return query.value.value.replaceAll("*", "") === "" ? (
      <div class="card">
        <Empty icon="records" title={words.none}>
          <p>{words.noneHelp}</p>
        </Empty>
      </div>
    ) : (
      <div class="card">
        <Empty icon="search" title={words.noMatch}>
          <p>{words.noMatchHelp}</p>
        </Empty>
      </div>
    );
  }
  return (
    <>
      <ol class="record-list" aria-busy={list.isLoading.value}>
        {found.map((record, index) => (
          <RecordItem key={record.location?.transactionHash ?? index} record={record} />
        ))}
      </ol>
      <div class="row spread">
        <p class="muted small" role="status">
          {words.shown(found.length)}
        </p>
        {list.next.value === undefined ? null : (
          <Button busy={list.isLoading.value} onClick={() => void loadMore()}>
            {words.more}
          </Button>
        )}
      </div>
    </>
  );
}
