import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { StoreContent } from "../../../client/index.ts";
import { Button } from "../components/button.tsx";
import { Empty } from "../components/empty.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { addressOf, replaceBy, route } from "../route.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { draft } from "./draft.ts";
import { faultOf, filterOf } from "./filter.ts";
import { FilterForm } from "./filter-form.tsx";
import { lastQuery, list, loadMore, refresh, show, stop } from "./record-list.ts";
import { RecordTable } from "./record-table.tsx";
import { saveRecordsCsv } from "./records-csv.ts";
import { SendDialog } from "./send-dialog.tsx";
import "./records.css";

/** The stored records, newest first, and a form to send one. */
export default function Records() {
  const stored = useSignal<StoreContent | undefined>(undefined);
  const { records: words } = texts.value;
  const { search } = route.value;
  const isReturning = search === "" && lastQuery.peek() !== "";
  useEffect(() => {
    if (isReturning) replaceBy(addressOf("records") + lastQuery.peek());
  }, []);
  const fault = faultOf(filterOf(search));
  useEffect(() => void (fault === undefined && show(route.peek().search)), [search]);
  useEffect(() => stop, []);
  const onStored = (record: StoreContent) => {
    draft.isOpen.value = false;
    stored.value = record;
    void refresh();
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
      <FilterForm key={search} />
      {stored.value === undefined ? null : <Notice kind="good">{words.stored(stored.value.chainid)}</Notice>}
      {list.failure.value === undefined ? null : <ErrorNotice error={list.failure.value} />}
      {fault === undefined ? <RecordList /> : <Notice kind="warning" title={words.faults[fault]} />}
      {draft.isOpen.value ? <SendDialog onStored={onStored} onClose={() => (draft.isOpen.value = false)} /> : null}
    </div>
  );
}

function RecordList() {
  const { records: words } = texts.value;
  const found = list.records.value;
  const progress = list.isLoading.value ? (
    <div class="row spread">
      <Progress>{words.searching}</Progress>
      <Button free onClick={stop}>
        {texts.value.verify.stop}
      </Button>
    </div>
  ) : null;
  // It keeps the focus while it loads.
  const more =
    list.next.value === undefined ? null : (
      <Button busy={list.isLoading.value} onClick={() => void loadMore()}>
        {words.more}
      </Button>
    );
  if (found === undefined || (found.length === 0 && progress !== null)) return progress;
  if (found.length === 0 && list.next.value !== undefined)
    return (
      <div class="stack">
        <p class="muted">{words.noneSoFar}</p>
        <div>{more}</div>
      </div>
    );
  if (found.length === 0) {
    return route.value.search === "" ? (
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
    <div class="stack record-list" aria-busy={list.isLoading.value}>
      <RecordTable records={found} />
      <div class="row spread no-print">
        <p class="muted small" role="status">
          {words.shown(found.length)}
        </p>
        <div class="row">
          <Button free icon="download" onClick={() => saveRecordsCsv(found)}>
            {texts.value.verify.csv}
          </Button>
          {more}
        </div>
      </div>
      {progress}
    </div>
  );
}
