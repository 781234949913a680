import type { ComponentChildren } from "preact";
import type { Action } from "../../../../client/index.ts";
import { Badge } from "../../components/badge.tsx";
import { Facts } from "../../components/facts.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { writtenJsonOfBase64 } from "../../components/written-json.ts";
import { MarkBadges } from "../../components/mark-badges.tsx";
import { Notice } from "../../components/notice.tsx";
import { Moment } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { texts } from "../../texts/texts.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";

type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

/** Action of a transaction and its current state on the chain. */
export function ActionCard({ action }: { action: Action }) {
  switch (action.kind) {
    case "anchor":
      return <AnchorCard action={action} />;
    case "record":
      return <RecordCard action={action} />;
    case "session":
      return <SessionCard action={action} />;
    default:
      return null;
  }
}

function Card({ title, badge, children }: { title: string; badge?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card stack">
      <div class="row spread">
        <h2>{title}</h2>
        {badge}
      </div>
      {children}
    </section>
  );
}

function AnchorCard({ action: { hash, size, first } }: { action: ActionOf<"anchor"> }) {
  const { actions, anchorSize, anchor } = texts.value.explorer;
  return (
    <Card
      title={size === 0 ? anchor.single : anchor.batch}
      badge={
        first === null ? <Badge kind="bad">{actions.missing}</Badge> : <Badge kind="good">{actions.onChain}</Badge>
      }
    >
      <Facts
        of={[
          [size === 0 ? anchor.hash : anchor.root, <Hash whole copy value={hash} href={addressOf("anchor", hash)} />],
          [anchor.size, anchorSize(size)],
          first === null
            ? undefined
            : [
                anchor.first,
                <>
                  <Moment at={first.timestamp} /> · {actions.inBlock}{" "}
                  <a class="number" href={addressOf("block", String(first.block_number))}>
                    {wholeNumber(first.block_number)}
                  </a>
                </>,
              ],
        ]}
      />
    </Card>
  );
}

function RecordCard({ action }: { action: ActionOf<"record"> }) {
  const { actions } = texts.value.explorer;
  const { row, signer, on_chain, table, row_id, compressed, fault } = action;
  const states = {
    current: ["good", actions.onChain],
    overwritten: ["warning", actions.overwritten],
    missing: ["bad", actions.missing],
  } as const;
  const [kind, text] = states[on_chain];
  const isSender = row !== undefined && signer !== null && row.sender.toLowerCase() === signer.toLowerCase();
  return (
    <Card
      title={actions.record}
      badge={
        <div class="row">
          <Badge kind={kind}>{text}</Badge>
          <MarkBadges mark={action.record} />
        </div>
      }
    >
      {fault === undefined ? null : (
        <Notice kind="warning" title={actions.unreadable}>
          {fault}
        </Notice>
      )}
      <Facts
        of={[
          row && [actions.code, row.code],
          row && [actions.topic, row.topic],
          row && [actions.created, row.created_at],
          [actions.row, `${row_id} · ${table}`],
          row && [actions.sender, <Hash whole value={row.sender} href={addressOf("address", row.sender)} />],
          [
            actions.signer,
            signer === null ? (
              <Badge kind="bad">{actions.noSigner}</Badge>
            ) : (
              <span class="row">
                <Hash whole value={signer} href={addressOf("address", signer)} />
                {row === undefined ? null : (
                  <Badge kind={isSender ? "good" : "bad"}>{isSender ? actions.isSender : actions.isNotSender}</Badge>
                )}
              </span>
            ),
          ],
          [actions.stored, compressed ? actions.compressed : actions.plain],
        ]}
      />
      {row === undefined ? null : <JsonView value={writtenJsonOfBase64(row.payload_base64)} label={actions.payload} />}
    </Card>
  );
}

function SessionCard({ action: { session, account, token_hash, new_token_hash } }: { action: ActionOf<"session"> }) {
  const { actions } = texts.value.explorer;
  return (
    <Card title={actions.session}>
      <Facts
        of={[
          [actions.account, <Hash whole value={account} href={addressOf("address", account)} />],
          [actions.session, <Hash whole value={session} />],
          [
            new_token_hash === undefined ? actions.tokenHash : actions.replacedTokenHash,
            <Hash whole value={token_hash} />,
          ],
          new_token_hash === undefined ? undefined : [actions.newTokenHash, <Hash whole value={new_token_hash} />],
        ]}
      />
      <p class="small muted">{actions.tokenAbout}</p>
    </Card>
  );
}
