import type { ComponentChildren } from "preact";
import type { Action, RowChecks } from "../../../../client/index.ts";
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

/**
 * Action of a transaction and its current state on the chain.
 * @param hash The transaction; without it, the action is that of call data alone
 */
export function ActionCard({ action, hash }: { action: Action; hash?: string }) {
  switch (action.kind) {
    case "anchor":
      return <AnchorCard action={action} />;
    case "record":
      return <RecordCard action={action} hash={hash} />;
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

function RecordCard({ action, hash }: { action: ActionOf<"record">; hash: string | undefined }) {
  const { actions } = texts.value.explorer;
  const { row, checks, on_chain, table, row_id, compressed, fault, overwrites, record } = action;
  const signer = checks === undefined ? action.signer : checks.signer;
  const states = {
    current: ["good", actions.onChain],
    overwritten: ["warning", actions.overwritten],
    missing: ["bad", actions.missing],
  } as const;
  const [kind, text] = states[on_chain];
  return (
    <Card
      title={actions.record}
      badge={
        <div class="row">
          <Badge kind={kind}>{text}</Badge>
          {checks?.row_id_matches === false ? <Badge kind="bad">{actions.otherRowId}</Badge> : null}
          <MarkBadges mark={record} />
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
                {checks === undefined ? null : <SignerBadge checks={checks} />}
              </span>
            ),
          ],
          checks?.binding == null ? undefined : [actions.binding, actions.bindings[checks.binding]],
          [
            actions.stored,
            `${compressed ? actions.compressed : actions.plain}; ${overwrites ? actions.overwrites : actions.creates}`,
          ],
          record === null || record.tx_hash === hash
            ? undefined
            : [actions.writtenBy, <Hash whole value={record.tx_hash} href={addressOf("tx", record.tx_hash)} />],
        ]}
      />
      {row === undefined ? null : <JsonView value={writtenJsonOfBase64(row.payload_base64)} label={actions.payload} />}
    </Card>
  );
}

function SignerBadge({ checks: { signed_by_sender, binding } }: { checks: RowChecks }) {
  const { actions } = texts.value.explorer;
  if (signed_by_sender) return <Badge kind="good">{actions.isSender}</Badge>;
  return binding === "contract" ? (
    <Badge kind="warning">{actions.notChecked}</Badge>
  ) : (
    <Badge kind="bad">{actions.isNotSender}</Badge>
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
