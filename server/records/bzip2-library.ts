// Instantiates the package's WebAssembly file directly. The package's loader defines globals, installs process-wide
// handlers for uncaught exceptions and rejections, and writes to detached memory after the memory has grown.
import { readFileSync } from "node:fs";
import { libraryFile } from "../kit/program-files.ts";

/** Result of a call. `output` is empty unless the status is 0. */
export interface Bzip2Result {
  /** The return value of libbzip2. */
  readonly status: number;
  readonly output: Uint8Array;
}

/** One instance of libbzip2 with its own memory. */
export interface Bzip2Library {
  /** `blockSize` is 1 to 9, in units of 100 kB; `capacity` is the size of the output buffer in bytes. */
  compress(data: Uint8Array, blockSize: number, capacity: number): Bzip2Result;
  decompress(data: Uint8Array, capacity: number): Bzip2Result;
}

/** Data and output exceed the memory limit of an instance. */
export class OutOfMemoryError extends Error {
  override readonly name = "OutOfMemoryError";
}

const PAGE_BYTES = 65_536;
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
const EMPTY = new Uint8Array();

type WasmFunction = (...args: number[]) => number;
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
// The used part of WebAssembly. TypeScript declares it only in the DOM library.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
  Memory: new (descriptor: { initial: number }) => WasmMemory;
};

let compiled: object | undefined;

/** Creates an instance. */
export function loadBzip2Library(): Bzip2Library {
  compiled ??= new WebAssembly.Module(readFileSync(libraryFile("bzip2-wasm/bzip2-1.0.8/bzip2.wasm")));
  const { exports } = new WebAssembly.Instance(
    compiled,
    importsOf(() => memory),
  );
  const memory = memoryOf(exports);
  functionOf(exports, "emscripten_stack_init")();
  functionOf(exports, "__wasm_call_ctors")();
  const malloc = functionOf(exports, "malloc");
  const free = functionOf(exports, "free");
  const toBuffer = functionOf(exports, "BZ2_bzBuffToBuffCompress");
  const fromBuffer = functionOf(exports, "BZ2_bzBuffToBuffDecompress");

  function run(data: Uint8Array, capacity: number, call: WasmFunction, ...options: number[]): Bzip2Result {
    const pointers: number[] = [];
    const allocate = (bytes: number): number => {
      const pointer = malloc(bytes) >>> 0;
      if (pointer === 0) throw new OutOfMemoryError(`libbzip2 cannot allocate ${bytes} bytes`);
      pointers.push(pointer);
      return pointer;
    };
    try {
      const source = allocate(Math.max(1, data.length));
      const target = allocate(capacity);
      const targetLength = allocate(4);
      // Allocations can grow the memory and replace its buffer, so the buffer is read again after each of them.
      new Uint8Array(memory.buffer).set(data, source);
      new DataView(memory.buffer).setUint32(targetLength, capacity, true);
      const status = call(target, targetLength, source, data.length, ...options);
      if (status !== 0) return { status, output: EMPTY };
      const length = new DataView(memory.buffer).getUint32(targetLength, true);
      return { status, output: new Uint8Array(memory.buffer).slice(target, target + length) };
    } finally {
      for (const pointer of pointers) free(pointer);
    }
  }

  return {
    compress: (data, blockSize, capacity) => run(data, capacity, toBuffer, blockSize, 0, 0),
    decompress: (data, capacity) => run(data, capacity, fromBuffer, 0, 0),
  };
}

function importsOf(memory: () => WasmMemory): object {
  const badFile = (): number => 8;
  return {
    env: {
      emscripten_memcpy_big: (target: number, source: number, bytes: number): void => {
        new Uint8Array(memory().buffer).copyWithin(target >>> 0, source >>> 0, (source >>> 0) + bytes);
      },
      emscripten_resize_heap: (requested: number): number => {
        if (requested >>> 0 > MAX_MEMORY_BYTES) return 0;
        memory().grow(Math.ceil(((requested >>> 0) - memory().buffer.byteLength) / PAGE_BYTES));
        return 1;
      },
      exit: (code: number): never => {
        throw new Error(`libbzip2 exited with code ${code}`);
      },
    },
    // Discards libbzip2's messages on stderr; `exit` follows them.
    wasi_snapshot_preview1: { fd_close: badFile, fd_seek: badFile, fd_write: badFile },
  };
}

function isFunction(value: unknown): value is WasmFunction {
  return typeof value === "function";
}

function functionOf(exports: Readonly<Record<string, unknown>>, name: string): WasmFunction {
  const value = exports[name];
  if (!isFunction(value)) throw new Error(`libbzip2 does not export ${name}`);
  return value;
}

function memoryOf(exports: Readonly<Record<string, unknown>>): WasmMemory {
  const value = exports["memory"];
  if (!(value instanceof WebAssembly.Memory)) throw new Error("libbzip2 does not export its memory");
  return value;
}
