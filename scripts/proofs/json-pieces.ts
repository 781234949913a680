/** Writes an object as JSON in pieces, an item of its lists a line: a million items do not fit in one string. */
export function* jsonPieces(value: object): Generator<string> {
  let start = "{";
  for (const [name, member] of Object.entries(value) as readonly (readonly [string, unknown])[]) {
    yield `${start}\n  ${JSON.stringify(name)}: `;
    start = ",";
    if (!Array.isArray(member)) yield JSON.stringify(member);
    else if (member.length === 0) yield "[]";
    else {
      let before = "[";
      for (const item of member) {
        yield `${before}\n    ${JSON.stringify(item)}`;
        before = ",";
      }
      yield "\n  ]";
    }
  }
  yield "\n}\n";
}
