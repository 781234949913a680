import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Result, type Step, verifyBundle } from "../../../verifier/verify.mjs";
import { Icon } from "../components/icon.tsx";
import { Notice } from "../components/notice.tsx";
import { Progress } from "../components/progress.tsx";
import { parseProof } from "./parsed-proof.ts";
import { PathView } from "./path-view.tsx";
import { texts } from "../texts/texts.ts";
import { explorerClient } from "../explorer/explorer-client.ts";
import { failureText } from "../explorer/failure-text.ts";
import { nodeThroughServer } from "./chain-node.ts";
import type { Document } from "./document.ts";

/**
 * Checks a file against a portable proof in the browser: the proof contains everything except the chain itself. The
 * verdict is that of the verifier; there is no other one beside it.
 */
export function BundleCheck({ document, bundle }: { document: Document; bundle: string }) {
  const { check: words } = texts.value.proofs;
  const steps = useSignal<readonly Step[]>([]);
  const result = useSignal<Result | undefined>(undefined);
  // Browsers provide no cryptography on pages without TLS, except from localhost.
  const canCheck = globalThis.isSecureContext;
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    if (!canCheck) return;
    let isMounted = true;
    const onStep = (step: Step): void => void (isMounted && (steps.value = [...steps.value, step]));
    verifyHere(bundle, document, onStep).then(
      (outcome) => isMounted && (result.value = outcome),
      (error: unknown) => isMounted && (failure.value = error),
    );
    return () => void (isMounted = false);
  }, [bundle, document.hash]);
  const proof = parseProof(bundle);
  const outcome = result.value;
  const failed = failure.value === undefined ? undefined : failureText(failure.value);
  const isChanged = proof !== undefined && proof.documentHash !== document.hash;
  return (
    <div class="stack stack-wide">
      {isChanged ? (
        <Notice kind="bad" title={words.changed}>
          {words.changedHelp(document.name)}
        </Notice>
      ) : null}
      {canCheck ? null : (
        <Notice kind="warning" title={words.insecure}>
          {words.insecureHelp}
        </Notice>
      )}
      {!canCheck || isChanged ? null : failed !== undefined ? (
        <Notice kind="warning" title={failed.title}>
          {failed.help}
        </Notice>
      ) : outcome === undefined ? (
        <Progress>{words.checking}</Progress>
      ) : outcome.ok ? (
        <Notice kind="good" title={words.passed}>
          {words.passedHelp}
        </Notice>
      ) : (
        <Notice kind="bad" title={words.failed}>
          {words.failedHelp}
        </Notice>
      )}
      {steps.value.length === 0 ? null : (
        <section class="card stack">
          <h2>{words.steps}</h2>
          <ol class="checks">
            {steps.value.map((step) => (
              <StepItem key={step.title} step={step} />
            ))}
          </ol>
        </section>
      )}
      {proof === undefined || isChanged ? null : <PathView proof={proof} document={document} isChecked={canCheck} />}
    </div>
  );
}

/** Verifies the whole proof, with the contract and the blocks of the chain that this server shows. */
async function verifyHere(bundle: string, document: Document, onStep: (step: Step) => void): Promise<Result> {
  const { contracts } = await explorerClient().chain();
  const options = { node: nodeThroughServer, contract: contracts.ProofAnchor };
  return verifyBundle(bundle, document.hash, options, onStep);
}

function StepItem({ step }: { step: Step }) {
  const { check: words } = texts.value.proofs;
  const titles: Readonly<Record<string, string>> = words.titles;
  return (
    <li class={step.ok ? "check-good" : "check-bad"}>
      <Icon name={step.ok ? "check" : "close"} size={18} />
      <div>
        <strong>{titles[step.title] ?? step.title}</strong>{" "}
        <span class="visually-hidden">{step.ok ? words.stepPassed : words.stepFailed}</span>
        <p class="small muted" lang="en">
          {step.ok ? step.proves : step.reason}
        </p>
      </div>
    </li>
  );
}
