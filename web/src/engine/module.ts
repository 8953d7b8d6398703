/** The WebAssembly module: requests in, replies out, as crates/web lays them out. */

import { BadExperiment, type Column, type Fault, type Table } from "./api.js";

/** The exports of the module. It has no imports. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly westwood_input: (bytes: number) => number;
  readonly westwood_call: () => number;
  readonly westwood_output: () => number;
}

/** The head of a reply. */
interface Head {
  readonly ok?: unknown;
  readonly error?: string;
  readonly faults?: readonly Fault[];
  readonly texts?: readonly { readonly name: string; readonly at: number; readonly bytes: number }[];
  readonly tables?: readonly TableHead[];
}

interface TableHead {
  readonly name: string;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly type: Column["type"]; readonly names: readonly string[] | null; readonly at: number }[];
}

/** An answer: a value, texts and tables by name. Columns are copies, which can be handed to another thread. */
export interface Answer {
  readonly ok: unknown;
  readonly texts: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, Table>>;
}

/** The module refuses a request, or a run fails, in words. It goes on with the next one; after any other error it does not. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
}

/** An instance of the module, for one thread. */
export class EngineModule {
  readonly #exports: Exports;

  private constructor(instance: WebAssembly.Instance) {
    this.#exports = instance.exports as unknown as Exports;
  }

  /** An instance of a compiled module. */
  static async of(module: WebAssembly.Module): Promise<EngineModule> {
    return new EngineModule(await WebAssembly.instantiate(module, {}));
  }

  /** The memory that the module has. It grows, and never shrinks. */
  get bytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /**
   * Carries out a request.
   *
   * @throws BadExperiment if the experiment is wrong, RequestRefused if anything else is.
   */
  ask(request: Readonly<Record<string, unknown>>): Answer {
    const { memory, westwood_input, westwood_call, westwood_output } = this.#exports;
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const input = westwood_input(bytes.length);
    new Uint8Array(memory.buffer, input, bytes.length).set(bytes);
    const length = westwood_call();
    return read(new Uint8Array(memory.buffer, westwood_output(), length));
  }
}

function read(reply: Uint8Array<ArrayBuffer>): Answer {
  const view = new DataView(reply.buffer, reply.byteOffset, reply.length);
  const parts = 4 + view.getUint32(0, true);
  const text = new TextDecoder();
  const head = JSON.parse(text.decode(reply.subarray(4, parts))) as Head;
  if (head.faults !== undefined) throw new BadExperiment(head.faults);
  if (head.error !== undefined) throw new RequestRefused(head.error);
  const from = reply.byteOffset + parts;
  return {
    ok: head.ok,
    texts: Object.fromEntries(
      (head.texts ?? []).map(({ name, at, bytes }) => [name, text.decode(reply.subarray(parts + at, parts + at + bytes))]),
    ),
    tables: Object.fromEntries((head.tables ?? []).map((table) => [table.name, tableOf(reply.buffer, from, table)])),
  };
}

function tableOf(memory: ArrayBuffer, from: number, { name, rows, columns }: TableHead): Table {
  // A slice: the memory moves when it grows, and belongs to the module.
  const column = ({ type, names, at }: TableHead["columns"][number]): Column =>
    type === "name"
      ? { type, values: new Uint32Array(memory.slice(from + at, from + at + 4 * rows)), names: names ?? [] }
      : { type, values: new Float64Array(memory.slice(from + at, from + at + 8 * rows)) };
  return { name, rows, columns: Object.fromEntries(columns.map((one) => [one.name, column(one)])) };
}

/** The buffers of tables, to be transferred instead of copied. */
export function buffersOf(tables: Iterable<Table>): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  for (const table of tables) {
    for (const { values } of Object.values(table.columns)) {
      if (values.buffer instanceof ArrayBuffer) buffers.push(values.buffer);
    }
  }
  return buffers;
}
