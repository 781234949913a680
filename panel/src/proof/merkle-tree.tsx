import { useSignal } from "@preact/signals";
import { Badge } from "../components/badge.tsx";
import { Hash } from "../explorer/hash.tsx";
import { shortened } from "../format/shortened.ts";
import { texts } from "../texts/texts.ts";
import type { ParsedProof } from "./parsed-proof.ts";
import { type PlacedNode, treeLayout } from "./tree-layout.ts";
import type { ProofPath } from "./proof-path.ts";

/**
 * The path from a document up to the root, drawn. Every node can be reached with the keyboard and is read out with its
 * hash; the full hash of the focused node is shown below.
 * @param isOnChain Whether the end of the path is on the chain
 */
export function MerkleTree({ proof, path, isOnChain }: { proof: ParsedProof; path: ProofPath; isOnChain: boolean }) {
  const { tree } = texts.value.proofs;
  const { width, height, nodes, lines } = treeLayout(path, proof.documentHash);
  const chosen = useSignal<string | undefined>(undefined);
  const selected = nodes.find(({ key }) => key === chosen.value) ?? nodes[0];
  const isValid = isOnChain && path.end === path.claimed;
  return (
    <figure class="tree">
      <svg
        class="tree-drawing"
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={tree.label(path.pairs.length)}
      >
        {lines.map(({ from, to, isOnPath }) => (
          <path
            key={`${from.x} ${from.y} ${to.x}`}
            class={isOnPath ? "tree-line tree-path" : "tree-line"}
            d={`M${from.x} ${from.y}V${(from.y + to.y) / 2}H${to.x}V${to.y}`}
          />
        ))}
        {nodes.map((node) => (
          <Node
            key={node.key}
            node={node}
            state={node.kind === "root" ? (isValid ? "good" : "bad") : undefined}
            isSelected={node === selected}
            onSelect={() => (chosen.value = node.key)}
          />
        ))}
      </svg>
      {selected === undefined ? null : (
        <div class="tree-about stack" role="status">
          <div class="row">
            <strong>{selected.kind === "root" && !isValid ? tree.rootMissing : tree.kinds[selected.kind]}</strong>
            {selected.kind === "root" ? (
              <Badge kind={isValid ? "good" : "bad"}>{isValid ? tree.onChain : tree.notOnChain}</Badge>
            ) : null}
          </div>
          <Hash whole value={selected.hash} />
          <p class="small muted">{tree.about[selected.kind]}</p>
        </div>
      )}
    </figure>
  );
}

function Node({
  node: { kind, hash, x, y, width, height },
  state,
  isSelected,
  onSelect,
}: {
  node: PlacedNode;
  state: "good" | "bad" | undefined;
  isSelected: boolean;
  onSelect: () => void;
}) {
  const { tree } = texts.value.proofs;
  const title = state === "bad" ? tree.rootMissing : tree.kinds[kind];
  const classes = [
    "tree-node",
    `tree-${kind}`,
    ...(state === undefined ? [] : [`tree-${state}`]),
    ...(isSelected ? ["tree-selected"] : []),
  ];
  return (
    <g
      class={classes.join(" ")}
      tabIndex={0}
      role="img"
      aria-label={`${title}: ${hash}`}
      onFocus={onSelect}
      onPointerEnter={onSelect}
      onClick={onSelect}
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
