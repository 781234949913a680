import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../components/empty.tsx";
import { Facts } from "../components/facts.tsx";
import { Notice } from "../components/notice.tsx";
import { Hash } from "../explorer/hash.tsx";
import { QueryResult } from "../components/query-result.tsx";
import { useQuery } from "../components/query.ts";
import { useTitle } from "../components/title.ts";
import { Moment } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { addressOf, route } from "../route.ts";
import { texts } from "../texts/texts.ts";
import { trustOf } from "../verify/reason.ts";
import { StepList } from "../verify/step-list.tsx";
import { VerdictNotice } from "../verify/verdict-details.tsx";
import { type Certificate, fetchCertificate } from "./certificate.ts";
import { ProofFiles } from "./proof-files.tsx";
import "./proof.css";
import { QrCode } from "./qr-code.tsx";

/** The certificate of a document: what was recorded, when and where, and what has to be trusted. */
export default function ProofPage() {
  const [id = ""] = route.value.parts;
  const { certificate: words } = texts.value;
  useTitle(`${words.title}: ${id}`);
  const run = useRef(new AbortController());
  useEffect(() => () => run.current.abort(), []);
  const query = useQuery(() => fetchCertificate(id, run.current.signal), id);
  return (
    <div class="stack stack-wide certificate">
      <div class="heading">
        <div>
          <h1>{words.title}</h1>
          <p>{words.about}</p>
        </div>
      </div>
      <QueryResult
        of={query}
        missing={
          <Empty icon="search" title={words.missing}>
            <p>{words.missingHelp}</p>
          </Empty>
        }
      >
        {(certificate) => <Content {...certificate} />}
      </QueryResult>
    </div>
  );
}

function Content({ found, bundle }: Certificate) {
  const { certificate: words, verify } = texts.value;
  const { document_id, hash, metadata } = found.status === "confirmed" ? found.proof : found;
  const { type, source, timestamp } = metadata;
  const older = found.history?.length ?? 0;
  return (
    <>
      <section class="card stack">
        <h2>{document_id}</h2>
        <Facts
          of={[
            [words.hash, <Hash whole copy value={hash} />],
            typeof type === "string" ? [words.type, type] : undefined,
            typeof source === "string" ? [words.source, source] : undefined,
            typeof timestamp === "number" ? [words.stated, <Moment at={timestamp} />] : undefined,
            older === 0 ? undefined : [words.older, wholeNumber(older)],
          ]}
        />
        {bundle === undefined ? (
          <Notice title={verify.server.waiting}>{verify.server.waitingHelp}</Notice>
        ) : (
          <ProofFiles documentId={document_id} bundle={bundle} />
        )}
      </section>
      {found.status === "pending" || bundle === undefined ? null : (
        <>
          <Place {...found} />
          <Proof {...bundle} />
        </>
      )}
    </>
  );
}

/** What the bundle proves, and what it does not. */
function Proof({ verdict }: NonNullable<Certificate["bundle"]>) {
  const { certificate: words, verify } = texts.value;
  return (
    <section class="card stack">
      <h2>{words.proof}</h2>
      <VerdictNotice verdict={verdict} isFile={false} />
      {verdict.kind === "verified" ? (
        <>
          <Facts of={[[verify.facts.trusted, trustOf(texts.value, verdict)]]} />
          <ul>
            {words.trusts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      ) : null}
      <StepList steps={verdict.steps} />
    </section>
  );
}

/** The place on the chain, as the server says it, with a code that leads there. */
function Place({ proof, verification_url }: Extract<Certificate["found"], { status: "confirmed" }>) {
  const { certificate: words, verify } = texts.value;
  const { facts } = verify;
  return (
    <section class="card proof-place">
      <div class="stack">
        <h2>{words.place}</h2>
        <Facts
          of={[
            [facts.time, <Moment at={proof.timestamp} />],
            [facts.chain, <span class="number">{proof.chain_id}</span>],
            [
              words.contract,
              <Hash whole value={proof.contract} href={addressOf("explorer", "address", proof.contract)} />,
            ],
            [facts.transaction, <Hash whole value={proof.tx_hash} href={addressOf("explorer", "tx", proof.tx_hash)} />],
            [
              facts.block,
              <a href={addressOf("explorer", "block", String(proof.block_number))}>{proof.block_number}</a>,
            ],
            [words.validator, proof.validator],
            [words.recorded, <Hash whole value={proof.record_hash} />],
          ]}
        />
      </div>
      <figure>
        <QrCode text={verification_url} label={words.code} />
        <figcaption class="small muted">{words.code}</figcaption>
      </figure>
    </section>
  );
}
