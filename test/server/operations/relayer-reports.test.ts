import { randomUUID } from "node:crypto";
import { assert } from "chai";
import type { Alert } from "../../../server/operations/alert.ts";
import { RelayerReports } from "../../../server/operations/relayers/relayer-reports.ts";
import { newReport, type RelayerReport } from "../../../server/operations/relayers/report.ts";

const SILENCE = 1_000;
const DAMAGED = { subject: "entries", message: "entry 7 was changed" };
const HEAD = { subject: "head of second", message: "the journal does not continue entry 7" };

describe("reports of relayers that follow", () => {
  let open: Map<string, string>;
  let alerts: Map<string, readonly { readonly message: string }[]>;
  let now: number;
  /** Alerts of the last run. */
  let active: Pick<Alert, "kind" | "subject" | "message">[];
  let reports: RelayerReports;
  const report = (content: Partial<RelayerReport> = {}): RelayerReport =>
    newReport({ relayer: "second", isNodeHealthy: true, hasFollowed: true, findings: [], alerts: [], ...content });

  beforeEach(() => {
    open = new Map();
    alerts = new Map();
    now = 0;
    active = [];
    reports = new RelayerReports({
      self: "first",
      ids: ["first", "second", "third"],
      silenceMilliseconds: SILENCE,
      alerts: { active, replaceGroup: (group, list) => void alerts.set(group, list) },
      findings: {
        has: (subject) => open.has(subject),
        journalDiverged: (subject, message) => void open.set(subject, message),
        divergenceResolved: (subject) => void open.delete(subject),
      },
      clock: () => now,
    });
  });

  it("make their findings the leader's, whose checks end them for both", () => {
    assert.isEmpty(reports.take(report({ findings: [DAMAGED] })));
    assert.deepEqual([...open], [[DAMAGED.subject, DAMAGED.message]]);
    assert.isEmpty(reports.take(report({ findings: [DAMAGED] })), "it is still open");
    open.clear();
    assert.deepEqual(
      reports.take(report({ findings: [DAMAGED] })),
      ["entries"],
      "the leader has found that it is over",
    );
    assert.isEmpty([...open], "the report that ends it does not begin it again");
    assert.isEmpty(reports.take(report()));
    assert.isEmpty(reports.take(report({ findings: [DAMAGED] })), "it was found again");
    assert.isTrue(open.has("entries"));
  });

  it("end what only the other relayer can see when it has looked, and does not see it any more", () => {
    reports.take(report({ findings: [HEAD] }));
    open.delete(HEAD.subject);
    reports.take(report({ findings: [HEAD] }));
    assert.isTrue(open.has(HEAD.subject), "nothing else ends it");
    reports.take(report({ hasFollowed: false }));
    assert.isTrue(open.has(HEAD.subject), "it has not looked since its start");
    reports.take(report());
    assert.isFalse(open.has(HEAD.subject));
  });

  it("say whether another node is healthy, as long as they are not old", () => {
    assert.isFalse(reports.isAnotherNodeHealthy);
    reports.take(report({ isNodeHealthy: false }));
    assert.isFalse(reports.isAnotherNodeHealthy);
    reports.take(report({ relayer: "third" }));
    assert.isTrue(reports.isAnotherNodeHealthy);
    now += SILENCE + 1;
    assert.isFalse(reports.isAnotherNodeHealthy);
  });

  it("bring their alerts, under the name of the relayer", () => {
    const alert = { kind: "node_down", subject: "", message: "the node does not respond" } as const;
    reports.take(report({ alerts: [alert] }));
    assert.deepEqual([...alerts], [["relayer second: ", [alert]]]);
  });

  it("end the alerts of a relayer that is not in the configuration any more", async () => {
    for (const subject of ["", "disk", "relayer second: ", "relayer fourth: ", "relayer fourth: disk"])
      active.push({ kind: "node_down", subject, message: "the node does not respond" });
    reports.start();
    await reports.stop();
    assert.deepEqual([...alerts.keys()].sort(), ["relayer first: ", "relayer fourth: "]);
  });

  it("come from the other relayers of the configuration only", () => {
    for (const relayer of ["first", "fourth"])
      assert.throws(() => reports.take(report({ relayer, findings: [DAMAGED] })), /is not in RELAYERS/);
    assert.isEmpty([...open]);
  });

  it("keep alerts as they are until the relayer knows after its start which ones last", () => {
    reports.take(report({ alerts: undefined }));
    assert.isEmpty([...alerts]);
  });

  it("are bounded, and have what the leader takes for over when it is missing", () => {
    const findings = Array.from({ length: 5_000 }, () => ({ subject: randomUUID(), message: "x".repeat(50_000) }));
    const given = report({ findings: [...findings, HEAD, { ...DAMAGED, subject: "x".repeat(5_000) }] });
    assert.isBelow(JSON.stringify(given).length, 200_000);
    assert.deepEqual(given.findings[0], HEAD);
  });
});
