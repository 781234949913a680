import { Worker } from "node:worker_threads";
import type { MapOptions, PictureOptions, Pictures } from "../air-quality/pictures.ts";
import type { Reading } from "../air-quality/reading.ts";
import type { Frame } from "../air-quality/readings.ts";
import { SealbookError } from "../../errors.ts";
import type { TileSource } from "./tile-store.ts";

/** Start data of the drawing thread. */
export interface WorkerData {
  readonly tiles: TileSource | undefined;
}

/** A picture to be drawn. */
export type Picture =
  | { readonly kind: "map"; readonly readings: readonly Reading[]; readonly options: MapOptions }
  | { readonly kind: "day"; readonly frames: readonly Frame[]; readonly options: PictureOptions };

/** A request to the drawing thread. */
export type Job = Picture & { readonly id: number };

/** A response of the drawing thread. */
export type JobResult =
  { readonly id: number; readonly bytes: Uint8Array } | { readonly id: number; readonly error: Error };

/** Maximum queued pictures; further requests are rejected with a time to retry. */
const MAX_WAITING = 20;
/** Idle time after which the thread ends, to free the memory of maps and fonts. */
const IDLE_MILLISECONDS = 600_000;

interface Waiting {
  readonly worker: Worker;
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Draws pictures in a separate thread, which starts with the first picture. */
export class DrawnPictures implements Pictures {
  readonly #tiles: TileSource | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(tiles?: TileSource) {
    this.#tiles = tiles;
  }

  drawMap(readings: readonly Reading[], options: MapOptions): Promise<Uint8Array> {
    return this.#draw({ kind: "map", readings, options });
  }

  drawDay(frames: readonly Frame[], options: PictureOptions): Promise<Uint8Array> {
    return this.#draw({ kind: "day", frames, options });
  }

  /** Ends the thread; unfinished pictures fail. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  async #draw(picture: Picture): Promise<Uint8Array> {
    if (this.#waiting.size >= MAX_WAITING) {
      throw new SealbookError("overloaded", "too many pictures are being drawn", { retryAfterSeconds: 10 });
    }
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const id = (this.#lastId += 1);
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        this.#waiting.set(id, { worker, resolve, reject });
        worker.postMessage({ ...picture, id });
      });
    } finally {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.#end(worker), IDLE_MILLISECONDS).unref();
    }
  }

  #end(worker: Worker): void {
    // The next request starts a new thread.
    this.#worker = undefined;
    void worker.terminate();
  }

  #start(): Worker {
    const workerData: WorkerData = { tiles: this.#tiles };
    const worker = new Worker(new URL("./picture-worker.ts", import.meta.url), { workerData });
    worker.unref();
    worker.on("message", (result: JobResult) => {
      const waiting = this.#waiting.get(result.id);
      if ("bytes" in result) waiting?.resolve(result.bytes);
      else waiting?.reject(result.error);
    });
    const ended = (cause?: Error): void => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const waiting of this.#waiting.values()) {
        if (waiting.worker === worker) waiting.reject(new Error("the thread that draws pictures has ended", { cause }));
      }
    };
    worker.on("error", ended);
    worker.on("exit", () => ended());
    return worker;
  }
}
