import type { ExploredAnchor, ExploredChain } from "../../../client/index.ts";
import { Badge } from "../components/badge.tsx";
import { Facts } from "../components/facts.tsx";
import { More } from "../components/more.tsx";
import { Notice } from "../components/notice.tsx";
import { QueryResult } from "../explorer/query-result.tsx";
import { useQuery } from "../explorer/query.ts";
import { explorerClient } from "../explorer/explorer-client.ts";
import { Hash } from "../explorer/hash.tsx";
import { Moment } from "../format/moment.tsx";
import { wholeNumber } from "../format/numbers.ts";
import { texts } from "../texts/texts.ts";
import { anchoredHash, type ParsedProof } from "./parsed-proof.ts";
import type { Document } from "./document.ts";
import { MerkleTree } from "./merkle-tree.tsx";
import { type ProofPath, pathOf } from "./proof-path.ts";

interface OnChain {
  readonly chain: ExploredChain;
  readonly anchor: ExploredAnchor | undefined;
}

interface PathViewProps {
  readonly proof: ParsedProof;
  /** The document, when the user gave it: without it nothing is verified. */
  readonly document: Document | undefined;
  /** Whether the verifier gives the verdict. */
  readonly isChecked?: boolean;
}

/** The path of a proof to the chain: computed here, compared with the chain. */
export function PathView({ proof, document, isChecked = false }: PathViewProps) {
  const hash = anchoredHash(proof);
  const query = useQuery(async (): Promise<OnChain> => {
    const [chain, anchor] = await Promise.all([explorerClient().chain(), explorerClient().anchor(hash)]);
    return { chain, anchor };
  }, hash);
  return (
    <QueryResult of={query}>
      {(onChain) => <Path proof={proof} document={document} onChain={onChain} isChecked={isChecked} />}
    </QueryResult>
  );
}

function Path({ proof, document, onChain, isChecked = false }: PathViewProps & { readonly onChain: OnChain }) {
  const { path: words } = texts.value.proofs;
  const { chain, anchor } = onChain;
  const path = pathOf(proof, anchor?.size);
  return (
    <div class="stack stack-wide">
      {isChecked ? null : (
        <PathVerdict
          proof={proof}
          document={document}
          onChain={onChain}
          reason={failureReason(proof, path, chain, anchor)}
        />
      )}
      <div class="path">
        <section class="card stack">
          <h3>{words.document}</h3>
          <Facts
            of={[
              [words.documentId, proof.documentId],
              [words.documentHash, <Hash whole value={proof.documentHash} />],
              proof.type === "" ? undefined : [words.type, proof.type],
              [words.timestamp, <Moment at={proof.timestamp} />],
              [
                words.recordHash,
                <>
                  <Hash whole value={path.recordHash} /> <Match is={path.isRecordHashValid} />
                </>,
              ],
            ]}
          />
          <p class="small muted">{words.recordHashAbout}</p>
        </section>
        <section class="card stack">
          <h3>{words.auditPath}</h3>
          <MerkleTree proof={proof} path={path} isOnChain={anchor !== undefined} />
        </section>
      </div>
      <section class="card">
        <More title={words.steps}>
          <Steps path={path} />
        </More>
      </section>
    </div>
  );
}

/** The one verdict about a path: it passes only for a document that was given and read. */
function PathVerdict({
  proof,
  document,
  onChain: { anchor },
  reason,
}: PathViewProps & { readonly onChain: OnChain; readonly reason: string | undefined }) {
  const { path: words, compare } = texts.value.proofs;
  if (reason !== undefined || anchor === undefined)
    return (
      <Notice kind="bad" title={words.failed}>
        {reason}
      </Notice>
    );
  if (document !== undefined && document.hash !== proof.documentHash)
    return (
      <Notice kind="bad" title={compare.changed}>
        {compare.changedHelp(document.name)}
      </Notice>
    );
  // The signatures of a portable proof are for the verifier.
  const isVerified = document !== undefined && proof.bundle === undefined;
  return (
    <Notice kind={isVerified ? "good" : "info"} title={isVerified ? words.passed : words.leads}>
      {isVerified ? words.passedAbout : words.leadsAbout} <Moment at={anchor.block.timestamp} />, {words.inBlock}{" "}
      <a href={`/explorer/block/${anchor.block.number}`}>{wholeNumber(anchor.block.number)}</a>.
    </Notice>
  );
}

function Match({ is }: { is: boolean }) {
  const { path: words } = texts.value.proofs;
  return <Badge kind={is ? "good" : "bad"}>{is ? words.matches : words.differs}</Badge>;
}

/** Returns why a proof fails; `undefined` for a valid proof. */
function failureReason(
  proof: ParsedProof,
  path: ProofPath,
  chain: ExploredChain,
  anchor: ExploredAnchor | undefined,
): string | undefined {
  const { failures } = texts.value.proofs.path;
  if (!path.isRecordHashValid) return failures.recordHash;
  if (!path.isLeafValid) return failures.leaf;
  if (path.end !== path.claimed) return failures.root;
  if (proof.chainId !== chain.chain_id) return failures.otherChain(proof.chainId, chain.chain_id);
  if (proof.contract.toLowerCase() !== chain.contracts.ProofAnchor.toLowerCase()) return failures.otherContract;
  if (anchor === undefined) return failures.notAnchored;
  if ((anchor.size === 0) !== (proof.merkle === undefined)) return failures.otherForm;
  return undefined;
}

/** Every computation, with the full hashes. */
function Steps({ path }: { path: ProofPath }) {
  const { path: words } = texts.value.proofs;
  return (
    <ol class="steps">
      <li>
        <span>{words.stepRecord}</span>
        <Hash whole value={path.recordHash} /> <Match is={path.isRecordHashValid} />
      </li>
      {path.leaf === undefined ? null : (
        <li>
          <span>{words.stepLeaf}</span>
          <Hash whole value={path.leaf} /> <Match is={path.isLeafValid} />
        </li>
      )}
      {path.pairs.map(({ node, sibling, parent }) => (
        <li key={parent}>
          <span>{words.stepPair}</span>
          <span class="mono">
            keccak256(
            {[node, sibling].toSorted().map((hash) => (
              <span key={hash} class="step-part">
                {hash}
              </span>
            ))}
            )
          </span>
          <span class="mono">= {parent}</span>
        </li>
      ))}
      <li>
        <span>{words.stepEnd}</span>
        <Hash whole value={path.claimed} href={`/explorer/anchor/${path.claimed}`} />{" "}
        <Match is={path.end === path.claimed} />
      </li>
    </ol>
  );
}
