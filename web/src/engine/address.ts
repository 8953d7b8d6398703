/**
 * Experiments in a page's address: `#` and the text of the scenario, compressed in the format of zlib, whose
 * checksum tells a damaged link, in base64url without padding. The command reads the same (`westwood run LINK`).
 * Links of raw DEFLATE, which has no checksum, are read too.
 */

import { bytesOf } from "../page/base64.js";

/** An address holds no more text than this, in bytes: the command reads no larger scenario. */
export const MOST_BYTES = 1 << 20;

/** The text in an address is damaged, or too long. */
export class BadAddress extends Error {
  override readonly name = "BadAddress";
}

const damaged = (what: string, cause?: unknown): BadAddress => new BadAddress(`${what} is damaged: copy the whole link.`, { cause });

/**
 * The scenario that a page opens with: the one in its address, or that which the command has put inside, in an
 * element of this id; undefined if there is neither.
 *
 * @throws BadAddress if it is damaged.
 */
export async function experimentOfPage(id = "experiment"): Promise<string | undefined> {
  const inside = document.getElementById(id)?.textContent.trim() ?? "";
  return (await fromAddress(location.hash)) ?? (await fromAddress(`#${inside}`));
}

/** The part of an address behind and with `#` that holds a scenario. */
export async function toAddress(toml: string): Promise<string> {
  const bytes = new TextEncoder().encode(toml);
  const stream = streamOf(bytes).pipeThrough(new CompressionStream("deflate"));
  return `#${toBase64url(new Uint8Array(await new Response(stream).arrayBuffer()))}`;
}

/**
 * The scenario in an address, or in the part behind `#`; undefined if there is none. `what` names it in words.
 *
 * @throws BadAddress if it is damaged.
 */
export async function fromAddress(address: string, what = "The experiment in the link"): Promise<string | undefined> {
  const code = address.slice(address.indexOf("#") + 1);
  if (!address.includes("#") || code === "") return undefined;
  const compressed = fromBase64url(code);
  if (!compressed) throw damaged(what);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await inflated(compressed, what));
  } catch (error) {
    if (error instanceof BadAddress) throw error;
    throw damaged(what, error);
  }
}

async function inflated(compressed: Uint8Array<ArrayBuffer>, what: string): Promise<Uint8Array<ArrayBuffer>> {
  // zlib begins with the number 8 in four bits: raw DEFLATE would be a stored block there, with a bit set in its
  // padding, which no compressor sets.
  const format = ((compressed[0] ?? 0) & 0xf) === 8 ? "deflate" : "deflate-raw";
  const stream = streamOf(compressed).pipeThrough(new DecompressionStream(format));
  const reader = stream.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const part = new Uint8Array(next.value);
    size += part.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      throw new BadAddress(`${what} has more than ${MOST_BYTES} bytes.`);
    }
    parts.push(part);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Bytes as a stream. That of a `Blob` goes through another process of the browser, which takes its time. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function toBase64url(bytes: Uint8Array): string {
  let text = "";
  // A call takes only so many arguments.
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of a code; undefined if it is none. */
function fromBase64url(code: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(code) || code.length % 4 === 1) return undefined;
  const bytes = bytesOf(code.replaceAll("-", "+").replaceAll("_", "/"));
  // The last character may have bits that belong to no byte.
  return toBase64url(bytes) === code ? bytes : undefined;
}
