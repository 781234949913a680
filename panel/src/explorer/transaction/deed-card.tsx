import type { ComponentChildren } from "preact";
import type { Deed } from "../../../../client/explorer-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { Facts } from "../../components/facts.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Notice } from "../../components/notice.tsx";
import { Moment } from "../../format/moment.tsx";
import { wholeNumber } from "../../format/numbers.ts";
import { texts } from "../../texts/texts.ts";
import { Hash } from "../hash.tsx";
import { addressOf } from "../route.ts";

type DeedOf<Kind extends Deed["kind"]> = Extract<Deed, { kind: Kind }>;

/** What a transaction brought, and whether the chain has it now. */
export function DeedCard({ deed }: { deed: Deed }) {
  switch (deed.kind) {
    case "anchor":
      return <AnchorCard deed={deed} />;
    case "record":
      return <RecordCard deed={deed} />;
    case "session":
      return <SessionCard deed={deed} />;
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

function AnchorCard({ deed: { hash, size, first } }: { deed: DeedOf<"anchor"> }) {
  const { deeds, anchorSize, anchor } = texts.value.explorer;
  return (
    <Card
      title={size === 0 ? anchor.single : anchor.batch}
      badge={first === null ? <Badge kind="bad">{deeds.absent}</Badge> : <Badge kind="good">{deeds.held}</Badge>}
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
                  <Moment at={first.timestamp} /> · {deeds.inBlock}{" "}
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

function RecordCard({ deed }: { deed: DeedOf<"record"> }) {
  const { deeds } = texts.value.explorer;
  const { row, signer, on_chain, table, row_id, compressed, fault } = deed;
  const states = {
    held: ["good", deeds.held],
    replaced: ["warning", deeds.replaced],
    absent: ["bad", deeds.absent],
  } as const;
  const [kind, text] = states[on_chain];
  const isSender = row !== undefined && signer !== null && row.sender.toLowerCase() === signer.toLowerCase();
  return (
    <Card title={deeds.record} badge={<Badge kind={kind}>{text}</Badge>}>
      {fault === undefined ? null : (
        <Notice kind="warning" title={deeds.unreadable}>
          {fault}
        </Notice>
      )}
      <Facts
        of={[
          row && [deeds.code, row.code],
          row && [deeds.topic, row.topic],
          row && [deeds.created, row.created_at],
          [deeds.row, `${row_id} · ${table}`],
          row && [deeds.sender, <Hash whole value={row.sender} href={addressOf("address", row.sender)} />],
          [
            deeds.signer,
            signer === null ? (
              <Badge kind="bad">{deeds.noSigner}</Badge>
            ) : (
              <span class="row">
                <Hash whole value={signer} href={addressOf("address", signer)} />
                {row === undefined ? null : (
                  <Badge kind={isSender ? "good" : "bad"}>{isSender ? deeds.isSender : deeds.isNotSender}</Badge>
                )}
              </span>
            ),
          ],
          [deeds.stored, compressed ? deeds.compressed : deeds.plain],
        ]}
      />
      {row === undefined ? null : <JsonView value={row.payload} label={deeds.payload} />}
    </Card>
  );
}

function SessionCard({ deed: { account, token_hash, new_token_hash } }: { deed: DeedOf<"session"> }) {
  const { deeds } = texts.value.explorer;
  return (
    <Card title={deeds.session}>
      <Facts
        of={[
          account === undefined
            ? undefined
            : [deeds.account, <Hash whole value={account} href={addressOf("address", account)} />],
          [new_token_hash === undefined ? deeds.tokenHash : deeds.replacedTokenHash, <Hash whole value={token_hash} />],
          new_token_hash === undefined ? undefined : [deeds.newTokenHash, <Hash whole value={new_token_hash} />],
        ]}
      />
      <p class="small muted">{deeds.tokenAbout}</p>
    </Card>
  );
}
