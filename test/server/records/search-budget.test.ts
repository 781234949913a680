import { assert } from "chai";
import { SealbookError } from "../../../server/errors.ts";
import type { RecordQuery, RecordRow } from "../../../server/records/record.ts";
import { RecordService, type RecordServiceDeps, type TimedStep } from "../../../server/records/service.ts";
import { thrownBy } from "../../support/thrown.ts";

/** Rows of which a step reads ten, in 2 s. */
function serviceOf(rows: number, matches: (position: number) => boolean) {
  const queries: RecordQuery[] = [];
  const scan = async (_caller: string, query: RecordQuery): Promise<TimedStep> => {
    queries.push(query);
    const end = Math.min(query.before ?? Infinity, rows + 1);
    const read = Array.from({ length: Math.min(10, end - 1) }, (_, index) => end - 1 - index);
    const found = read.filter(matches);
    const positions = found.slice(0, query.limit);
    const rest = end > 11 ? end - 10 : undefined;
    return { positions, next: found.length > query.limit ? positions.at(-1) : rest, milliseconds: 2_000 };
  };
  const records = {
    rows: async (positions: readonly number[]) =>
      positions.map((position) => ({ position, payload: "" }) as unknown as RecordRow),
  };
  const deps = { scan, records } as unknown as RecordServiceDeps;
  return { service: new RecordService(deps), queries };
}

describe("the budget of a search", () => {
  const search = { field: "topic", phrase: "*a*b*", limit: 5 } as const;

  // Security, network: cannot search without end
  it("ends a search that finds nothing, with its name, a remedy and the place to continue at", async () => {
    const { service, queries } = serviceOf(100, () => false);
    const error = await thrownBy(service.search("account", search));
    assert.instanceOf(error, SealbookError);
    assert.deepInclude(error, { code: "too_expensive" });
    assert.include(error.message, "within its budget of 5 s; begin the value with characters instead of *");
    assert.include(error.message, 'with the cursor "71"');
    assert.lengthOf(queries, 3);
  });

  it("ends a search that finds something with a page and the cursor of the next one", async () => {
    const { service } = serviceOf(100, (position) => position === 95);
    const { rows, next } = await service.search("account", search);
    assert.deepEqual([rows.map(({ position }) => position), next], [[95], 71]);
  });

  it("leads to every match, page by page", async () => {
    const { service } = serviceOf(100, (position) => position % 7 === 0);
    const found: number[] = [];
    for (let before: number | undefined = 101; before !== undefined;) {
      const page = await service.search("account", { ...search, before });
      found.push(...page.rows.map(({ position }) => position));
      before = page.next;
    }
    assert.deepEqual(
      found,
      Array.from({ length: 14 }, (_, index) => 98 - 7 * index),
    );
  });
});
