import { expect } from "chai";
import { parseTargets } from "../../../../server/journal/replication/targets.ts";

const S3 = { kind: "s3", prefix: "", endpoint: undefined, region: undefined, pathStyle: false };

describe("target addresses", () => {
  it("are folders and buckets", () => {
    const cases: readonly [string, object][] = [
      ["file:///mnt/backup", { kind: "folder", path: "/mnt/backup", mountPoint: false }],
      ["file:///mnt/my%20disk%2Cold?mount=true", { kind: "folder", path: "/mnt/my disk,old", mountPoint: true }],
      ["s3://bucket", { ...S3, bucket: "bucket" }],
      ["s3://bucket/", { ...S3, bucket: "bucket" }],
      [
        "s3://my.bucket-1/a/b%20c/?region=eu-west-1",
        { ...S3, bucket: "my.bucket-1", prefix: "a/b c/", region: "eu-west-1" },
      ],
      [
        "s3://bucket/a?endpoint=https://minio.example:9000&path_style=true",
        { ...S3, bucket: "bucket", prefix: "a/", endpoint: "https://minio.example:9000", pathStyle: true },
      ],
    ];
    for (const [text, expected] of cases) {
      expect(parseTargets(text), text).to.deep.equal({ targets: [{ ...expected, name: text }], faults: [] });
    }
    const { targets } = parseTargets(` ${cases.map(([text]) => text).join(" , ")},`);
    expect(targets.map(({ name }) => name)).to.deep.equal(cases.map(([text]) => text));
    expect(parseTargets(" ")).to.deep.equal({ targets: [], faults: [] });
  });

  it("are rejected one by one, with the reason", () => {
    const cases: readonly [string, string][] = [
      ["/mnt/backup", "is not of the form"],
      ["https://bucket/prefix", "is not of the form"],
      ["file://host/path", "from the root on"],
      ["file:path", "from the root on"],
      ["file:///", "from the root on"],
      ["file:///a%2Fb", "cannot be one"],
      ["file:///a?mount=yes", "neither true nor false"],
      ["file:///a?region=x", "option region"],
      ["file:///a#b", "%23"],
      ["s3:///prefix", "does not name a bucket"],
      ["s3://UPPER_case/x", "does not name a bucket"],
      ["s3://b/x", "does not name a bucket"],
      ["s3://bucket:99/x", "does not name a bucket"],
      ["s3://bucket/%ff", "cannot be one"],
      ["s3://bucket/a%2F..%2Fb", 'has "." or ".." in its prefix'],
      ["s3://bucket/x?mount=true", "option mount"],
      ["s3://bucket/x?endpoint=minio:9000", "http or https"],
      ["s3://bucket/x?region=", "one value for region"],
      ["s3://bucket/x?region=a&region=b", "one value for region"],
      ["s3://bucket/x?path_style=1", "neither true nor false"],
    ];
    for (const [text, message] of cases) {
      const { targets, faults } = parseTargets(`file:///good,${text}`);
      expect(targets, text).to.have.length(1);
      expect(faults, text).to.have.length(1);
      expect(faults[0]).to.include(`"${text}"`).and.include(message);
    }
    expect(parseTargets("file:///a,file:///a").faults).to.deep.equal(['"file:///a" is named twice']);
  });

  it("are shown without a password", () => {
    for (const text of [
      "s3://key:secret@bucket/x",
      "s3://bucket/x?endpoint=https://key:secret@host/",
      "ftp://key:secret@host",
    ]) {
      const { faults } = parseTargets(text);
      expect(faults).to.have.length(1);
      expect(faults[0]).not.to.include("secret");
    }
  });
});
