import { useSignal } from "@preact/signals";
import { Badge } from "../components/badge.tsx";
import { Hash } from "../explorer/hash.tsx";
import { shortened } from "../format/shortened.ts";
import { texts } from "../texts/texts.ts";
import type { BroughtProof } from "./brought-proof.ts";
import { type Place, treeLayout } from "./tree-layout.ts";
import type { ProofPath } from "./proof-path.ts";

/**
 * The path from a document up to the root, drawn. Every node can be reached with the keyboard and is read out with its
 * hash; the full hash of the focused node is shown below.
 * @param isOnChain Whether the end of the path is on the chain
 */
export function MerkleTree({ proof, path, isOnChain }: { proof: BroughtProof; path: ProofPath; isOnChain: boolean }) {
  const { tree } = texts.value.proofs;
  const { width, height, places, lines } = treeLayout(path, proof.documentHash);
  const chosen = useSignal<string | undefined>(undefined);
  const looked = places.find(({ key }) => key === chosen.value) ?? places[0];
  const isRight = isOnChain && path.end === path.claimed;
  return (
    <figure class="tree">
      <svg
        class="tree-drawing"
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={tree.label(path.pairs.length)}
      >
        {lines.map(({ from, to, isOnWay }) => (
          <path
            key={`${from.x} ${from.y} ${to.x}`}
            class={isOnWay ? "tree-line tree-way" : "tree-line"}
            d={`M${from.x} ${from.y}V${(from.y + to.y) / 2}H${to.x}V${to.y}`}
          />
        ))}
        {places.map((place) => (
          <Node
            key={place.key}
            place={place}
            state={place.kind === "root" ? (isRight ? "good" : "bad") : undefined}
            isLooked={place === looked}
            onLook={() => (chosen.value = place.key)}
          />
        ))}
      </svg>
      {looked === undefined ? null : (
        <div class="tree-about stack" role="status">
          <div class="row">
            <strong>{looked.kind === "root" && !isRight ? tree.lost : tree.kinds[looked.kind]}</strong>
            {looked.kind === "root" ? (
              <Badge kind={isRight ? "good" : "bad"}>{isRight ? tree.onChain : tree.notOnChain}</Badge>
            ) : null}
          </div>
          <Hash whole value={looked.hash} />
          <p class="small muted">{tree.about[looked.kind]}</p>
        </div>
      )}
    </figure>
  );
}

function Node({
  place: { kind, hash, x, y, width, height },
  state,
  isLooked,
  onLook,
}: {
  place: Place;
  state: "good" | "bad" | undefined;
  isLooked: boolean;
  onLook: () => void;
}) {
  const { tree } = texts.value.proofs;
  const title = state === "bad" ? tree.lost : tree.kinds[kind];
  const classes = [
    "tree-node",
    `tree-${kind}`,
    ...(state === undefined ? [] : [`tree-${state}`]),
    ...(isLooked ? ["tree-looked"] : []),
  ];
  return (
    <g
      class={classes.join(" ")}
      tabIndex={0}
      role="img"
      aria-label={`${title}: ${hash}`}
      onFocus={onLook}
      onPointerEnter={onLook}
      onClick={onLook}
    >
      <rect x={x} y={y} width={width} height={height} rx="7" />
      <text class="tree-kind" x={x + width / 2} y={y + 17}>
        {title}
      </text>
      <text class="tree-hash" x={x + width / 2} y={y + 34}>
        {shortened(hash)}
      </text>
    </g>
  );
}
