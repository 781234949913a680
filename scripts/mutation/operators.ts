import { type Span, type SyntaxNode, isNode, spanOf } from "./syntax-tree.ts";

/** A replacement of a part of a source. */
export interface Edit extends Span {
  readonly replacement: string;
}

/** Returns the text of a node. */
type TextOf = (span: Span) => string;
type Operator = (node: SyntaxNode, textOf: TextOf) => Edit[];

/** Comparisons have two: one at the boundary, one for the negation. */
const BINARY: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "==": ["!="],
  "!=": ["=="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["/"],
  "**": ["*"],
  "&": ["|"],
  "|": ["&"],
  "^": ["|"],
  "<<": [">>"],
  ">>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
};
const UNARY: Readonly<Record<string, string>> = { "!": "", "~": "", "-": "", "++": "--", "--": "++" };
/** `xor` of two values is zero when they are equal: the negation of `eq`. */
const YUL: Readonly<Record<string, string>> = {
  add: "sub",
  sub: "add",
  mul: "div",
  div: "mul",
  mod: "div",
  and: "or",
  or: "and",
  xor: "or",
  shl: "shr",
  shr: "shl",
  lt: "gt",
  gt: "lt",
  eq: "xor",
};

/** The operators of a type of node. */
const OPERATORS: Readonly<Record<string, readonly Operator[]>> = {
  BinaryOperation: [swapBinary, keepOneOperand],
  Assignment: [swapAssignment],
  UnaryOperation: [swapUnary],
  Conditional: [keepOneBranch],
  IfStatement: [negateCondition],
  Literal: [changeLiteral],
  ModifierInvocation: [remove],
  ExpressionStatement: [removeStatement],
  EmitStatement: [removeStatement],
  RevertStatement: [removeStatement],
  Return: [removeStatement],
  Break: [removeStatement],
  Continue: [removeStatement],
  YulFunctionCall: [swapYulFunction],
  YulLiteral: [changeLiteral],
  YulExpressionStatement: [removeStatement],
  YulAssignment: [removeStatement],
  YulBreak: [removeStatement],
  YulContinue: [removeStatement],
};

/** Returns the edits of one node, each of which makes a mutant. */
export function editsOf(node: SyntaxNode, textOf: TextOf): Edit[] {
  return (OPERATORS[node.nodeType] ?? []).flatMap((operator) => operator(node, textOf));
}

function spanOfField(node: SyntaxNode, field: string): Span {
  const value = node[field];
  if (!isNode(value)) throw new Error(`A node ${node.nodeType} has no ${field}`);
  return spanOf(value);
}

/** `a + b` becomes `a - b`. */
function swapBinary(node: SyntaxNode, textOf: TextOf): Edit[] {
  const [left, right] = [spanOfField(node, "leftExpression"), spanOfField(node, "rightExpression")];
  return swapBetween(left, right, String(node["operator"]), textOf);
}

/** `a += b` becomes `a -= b`. */
function swapAssignment(node: SyntaxNode, textOf: TextOf): Edit[] {
  const [left, right] = [spanOfField(node, "leftHandSide"), spanOfField(node, "rightHandSide")];
  return swapBetween(left, right, String(node["operator"]).slice(0, -1), textOf);
}

function swapBetween(left: Span, right: Span, operator: string, textOf: TextOf): Edit[] {
  // A comment beside the operator can contain the same characters.
  const between = textOf({ start: left.end, end: right.start }).replaceAll(/\/\/.*|\/\*[^]*?\*\//g, (comment) =>
    " ".repeat(Buffer.byteLength(comment)),
  );
  const start = left.end + between.indexOf(operator);
  return (BINARY[operator] ?? []).map((replacement) => ({ start, end: start + operator.length, replacement }));
}

/** `a && b` becomes `a`, and `b`. */
function keepOneOperand(node: SyntaxNode, textOf: TextOf): Edit[] {
  if (node["operator"] !== "&&" && node["operator"] !== "||") return [];
  return keepOneOf(node, ["leftExpression", "rightExpression"], textOf);
}

/** `a ? b : c` becomes `b`, and `c`. */
function keepOneBranch(node: SyntaxNode, textOf: TextOf): Edit[] {
  return keepOneOf(node, ["trueExpression", "falseExpression"], textOf);
}

function keepOneOf(node: SyntaxNode, fields: readonly string[], textOf: TextOf): Edit[] {
  return fields.map((field) => ({ ...spanOf(node), replacement: textOf(spanOfField(node, field)) }));
}

function swapUnary(node: SyntaxNode): Edit[] {
  const operator = String(node["operator"]);
  const replacement = UNARY[operator];
  if (replacement === undefined) return [];
  const { start, end } = spanOf(node);
  const at = node["prefix"] === true ? start : end - operator.length;
  return [{ start: at, end: at + operator.length, replacement }];
}

/** Negates what has no operator of its own: the other conditions have mutants that negate them. */
function negateCondition(node: SyntaxNode, textOf: TextOf): Edit[] {
  const { condition } = node;
  if (!isNode(condition) || ["BinaryOperation", "UnaryOperation"].includes(condition.nodeType)) return [];
  return [{ ...spanOf(condition), replacement: `!(${textOf(spanOf(condition))})` }];
}

function changeLiteral(node: SyntaxNode, textOf: TextOf): Edit[] {
  const { start, end } = spanOf(node);
  const text = textOf({ start, end });
  if (text === "true" || text === "false") return [{ start, end, replacement: String(text === "false") }];
  if (/^["']/.test(text)) return [{ start, end, replacement: text.length > 2 ? '""' : '"mutant"' }];
  // Only whole numbers; a unit such as `days` stays.
  const [number] = /^(?:0x[\da-f]+|[\d_]+)(?=\s|$)/i.exec(text) ?? [];
  if (number === undefined) return [];
  return otherNumbers(number).map((replacement) => ({ start, end: start + number.length, replacement }));
}

/** Hexadecimal numbers keep their width, which decides about the conversion to fixed bytes. */
function otherNumbers(text: string): string[] {
  const number = BigInt(text.replaceAll("_", ""));
  if (/^0x/i.test(text)) return [`0x${(number ^ 1n).toString(16).padStart(text.length - 2, "0")}`];
  return [...(number > 0n ? [number - 1n] : []), number + 1n].map(String);
}

function swapYulFunction(node: SyntaxNode, textOf: TextOf): Edit[] {
  const name = spanOfField(node, "functionName");
  const replacement = YUL[textOf(name)];
  if (replacement !== undefined) return [{ ...name, replacement }];
  const { arguments: values } = node;
  const [value] = Array.isArray(values) ? values : [];
  if (textOf(name) !== "iszero" || !isNode(value)) return [];
  return [{ ...spanOf(node), replacement: textOf(spanOf(value)) }];
}

function remove(node: SyntaxNode): Edit[] {
  return [{ ...spanOf(node), replacement: "" }];
}

/** An empty block can stand in each place of a statement. */
function removeStatement(node: SyntaxNode, textOf: TextOf): Edit[] {
  const { start, end } = spanOf(node);
  return [{ start, end: textOf({ start: end, end: end + 1 }) === ";" ? end + 1 : end, replacement: "{}" }];
}
