import type { FoundRecord } from "../../../client/index.ts";
import { Badge } from "../components/badge.tsx";
import { MarkBadges } from "../components/mark-badges.tsx";
import { Icon } from "../components/icon.tsx";
import { JsonView } from "../components/json-view.tsx";
import { writtenJson } from "../components/written-json.ts";
import { Ago, Moment } from "../format/moment.tsx";
import { shortened } from "../format/shortened.ts";
import { addressOf } from "../route.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";

/** A record: its content, sender and time, and its position on the chain. */
export function RecordItem({ record }: { record: FoundRecord }) {
  const { records: words } = texts.value;
  const { code, topic, sender, createdAt, payloadText, location } = record;
  const at = Date.parse(createdAt) / 1000;
  return (
    <li class="card record">
      <div class="row spread">
        <h2>
          {code} <Badge>{topic}</Badge> <MarkBadges mark={record.mark} />
        </h2>
        <p class="muted small">
          {Number.isFinite(at) ? (
            <>
              <Ago at={at} /> · <Moment at={at} />
            </>
          ) : (
            createdAt
          )}
        </p>
      </div>
      <JsonView value={writtenJson(payloadText)} label={words.payloadOf(code)} />
      <div class="row spread small">
        <p>
          <span class="muted">{words.sender}</span> <code title={sender}>{shortened(sender)}</code>
          {sender.toLowerCase() === session.current.value?.account.toLowerCase() ? (
            <>
              {" "}
              <Badge kind="plain">{words.you}</Badge>
            </>
          ) : null}
        </p>
        {location === undefined ? null : (
          <p class="row">
            <span class="muted number">{words.position(location.chainId, location.blockNumber)}</span>
            <a class="inline-link" href={addressOf("explorer", "tx", location.transactionHash)}>
              {words.transaction}
              <Icon name="link" size={16} />
            </a>
          </p>
        )}
      </div>
    </li>
  );
}
