import { ProofInput } from "../proof/proof-input.tsx";
import { texts } from "../texts/texts.ts";
import { useTitle } from "./title.ts";

/** The path from a document's hash to the chain, of a proof that the user provides. */
export function ProofView() {
  const { path } = texts.value.proofs;
  useTitle(path.title);
  return (
    <>
      <div class="heading">
        <div>
          <h1>{path.title}</h1>
          <p>{path.about}</p>
        </div>
      </div>
      <ProofInput />
    </>
  );
}
