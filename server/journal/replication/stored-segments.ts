import type { SegmentTarget } from "./segment-target.ts";
import { type Segment, SegmentFault, type SegmentManifest } from "./segment.ts";
import { SealbookError } from "../../errors.ts";
import { dataKey, dataName, fileKind, isDirectoryName, manifestKey, MARKER_FILE } from "./layout.ts";
import { formatManifest, MAX_MANIFEST_BYTES, packSegment, parseManifest, unpackSegment } from "./segment-file.ts";
import { Marker } from "./marker.ts";
import type { ObjectStore } from "./object-store.ts";
import { hex } from "../../kit/bytes.ts";

/**
 * Stores segments as files of any store. Writes the file with the entries first, under a name derived from its content,
 * then the manifest, which makes the segment exist and is unique for its number. A crash between the two leaves a file
 * without a manifest; it is harmless, and removed once its number is taken.
 */
export class StoredSegments implements SegmentTarget {
  readonly #store: ObjectStore;
  readonly #marker: Marker;
  /** The directory of the newest observed segment: earlier directories are not listed again. */
  #directory = "";
  /** Files with entries that may belong to no segment, with their numbers. */
  readonly #leftovers = new Map<string, number>();

  constructor(store: ObjectStore, journal: string) {
    this.#store = store;
    this.#marker = new Marker(store, journal);
  }

  get name(): string {
    return this.#store.name;
  }

  async newest(): Promise<SegmentManifest | undefined> {
    const isOurs = await this.#marker.check();
    const directories = (await this.#store.directories(this.#directory)).filter(isDirectoryName);
    for (const directory of directories.reverse()) {
      const number = this.#look(directory, await this.#store.files(directory));
      if (number === undefined) continue;
      if (!isOurs) throw this.#conflict(`has segments, but no ${MARKER_FILE} with its journal`);
      this.#directory = directory;
      await this.#tidy(number);
      return this.manifest(number);
    }
    // A target that had segments must still have them: starting over would create a second history.
    if (this.#directory !== "") throw this.#conflict("has lost the segments that it had");
    return undefined;
  }

  async manifest(number: number): Promise<SegmentManifest | undefined> {
    const stored = await this.#get(number, manifestKey(number), MAX_MANIFEST_BYTES);
    return stored === undefined ? undefined : parseManifest(number, stored);
  }

  async read(manifest: SegmentManifest): Promise<string[]> {
    const { number, file, bytes, sha256 } = manifest;
    // A manifest must not refer to another location.
    const expected = dataName(number, sha256);
    if (file !== expected) throw new SegmentFault(number, `its manifest names the file ${file} instead of ${expected}`);
    const data = await this.#get(number, dataKey(number, file), bytes);
    if (data === undefined) throw new SegmentFault(number, `its file ${file} is missing`);
    return unpackSegment(manifest, data);
  }

  async write(segment: Segment): Promise<boolean> {
    const { number } = segment;
    await this.#marker.claim();
    const [taken] = await Promise.all([this.manifest(number), this.#checkBefore(segment)]);
    if (taken !== undefined) return false;
    const { manifest, data } = await packSegment(segment, new Date());
    const key = dataKey(number, manifest.file);
    // A file of that name has that content: a file left by a crash is reused.
    await this.#store.create(key, data);
    const isOurs = await this.#store.create(manifestKey(number), formatManifest(manifest));
    if (!isOurs) this.#leftovers.set(key, number);
    await this.#tidy(number);
    return isOurs;
  }

  close(): void {
    this.#store.close();
  }

  async #get(number: number, key: string, limit: number): Promise<Buffer | undefined> {
    try {
      return await this.#store.get(key, limit);
    } catch (error) {
      if (error instanceof SealbookError && error.code === "too_large") throw new SegmentFault(number, error.message);
      throw error;
    }
  }

  /**
   * Checks that the target has the previous segment. Without it the target was replaced, for instance by another disk
   * or an emptied bucket.
   */
  async #checkBefore({ number, previousDigest }: Segment): Promise<void> {
    if (number === 1) {
      await this.#marker.check();
      return;
    }
    const before = await this.manifest(number - 1);
    if (before === undefined)
      throw this.#conflict(`does not have segment ${number - 1}, so that ${number} cannot follow`);
    if (before.digest !== hex(previousDigest)) {
      throw this.#conflict(`has another segment ${number - 1} than the one that ${number} follows`);
    }
  }

  /** Returns the highest number with a manifest in a directory. Collects files that may be leftovers. */
  #look(directory: string, names: readonly string[]): number | undefined {
    const files = names.flatMap((name) => {
      const file = fileKind(name);
      return file === undefined ? [] : [{ ...file, key: `${directory}/${name}` }];
    });
    const withManifest = new Set(files.flatMap(({ kind, number }) => (kind === "manifest" ? [number] : [])));
    const data = files.filter(({ kind }) => kind === "data");
    for (const [number, group] of Map.groupBy(data, (file) => file.number)) {
      if (group.length > 1 || !withManifest.has(number)) for (const { key } of group) this.#leftovers.set(key, number);
    }
    return withManifest.size === 0 ? undefined : Math.max(...withManifest);
  }

  /** Removes leftovers of numbers that are taken; files of other numbers may belong to a concurrent writer. */
  async #tidy(newest: number): Promise<void> {
    for (const [key, number] of this.#leftovers) {
      if (number > newest) continue;
      this.#leftovers.delete(key);
      const manifest = await this.manifest(number).catch(() => undefined);
      if (manifest === undefined || dataKey(number, manifest.file) === key) continue;
      // Credentials without the permission to delete, which is good practice for a bucket, leave the file in place.
      await this.#store.remove(key).catch(() => undefined);
    }
  }

  #conflict(message: string): SealbookError {
    return new SealbookError("conflict", `${this.name} ${message}`);
  }
}
