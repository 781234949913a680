import type { ProofPath } from "./proof-path.ts";

/** Kind of a node in the drawing. */
export type NodeKind = "root" | "node" | "leaf" | "sibling" | "record" | "document";

export interface PlacedNode {
  readonly key: string;
  readonly kind: NodeKind;
  readonly hash: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line from a node up to its parent. */
export interface Line {
  readonly from: Point;
  readonly to: Point;
  readonly isOnPath: boolean;
}

export interface TreeLayout {
  readonly width: number;
  readonly height: number;
  /** From the root down. */
  readonly nodes: readonly PlacedNode[];
  readonly lines: readonly Line[];
}

// Two columns fit a phone, for a tree of any height.
const WIDTH = 360;
const NODE = { width: 164, height: 44 };
const LEFT = 4;
const RIGHT = WIDTH - NODE.width - 4;
const MIDDLE = (WIDTH - NODE.width) / 2;
const STEP = 76;
const MARGIN = 4;

/** Lays out the nodes of a path: the root at the top, below it a pair on each level, below the leaf its inputs. */
export function treeLayout(path: ProofPath, documentHash: string): TreeLayout {
  const nodes: PlacedNode[] = [];
  const lines: Line[] = [];
  let y = MARGIN;
  const put = (kind: NodeKind, hash: string, x: number): PlacedNode => {
    const placed = { key: `${kind} ${y}`, kind, hash, x, y, ...NODE };
    nodes.push(placed);
    return placed;
  };
  const connect = (child: PlacedNode, parent: PlacedNode, isOnPath: boolean): void => {
    lines.push({ from: bottomTop(child).top, to: bottomTop(parent).bottom, isOnPath });
  };

  let above = put("root", path.end, MIDDLE);
  for (const [index, { node, sibling, isLeft }] of [...path.pairs].reverse().entries()) {
    y += STEP;
    const isLeaf = index === path.pairs.length - 1;
    const [nodeX, siblingX] = isLeft ? [LEFT, RIGHT] : [RIGHT, LEFT];
    const onPath = put(isLeaf ? "leaf" : "node", node, nodeX);
    const beside = put("sibling", sibling, siblingX);
    connect(beside, above, false);
    connect(onPath, above, true);
    above = onPath;
  }
  if (path.leaf !== undefined) {
    y += STEP;
    const record = put("record", path.recordHash, above.x);
    connect(record, above, true);
    above = record;
  }
  y += STEP;
  connect(put("document", `0x${documentHash}`, above.x), above, true);
  return { width: WIDTH, height: y + NODE.height + MARGIN, nodes, lines };
}

function bottomTop({ x, y, width, height }: PlacedNode): { readonly top: Point; readonly bottom: Point } {
  return { top: { x: x + width / 2, y }, bottom: { x: x + width / 2, y: y + height } };
}
