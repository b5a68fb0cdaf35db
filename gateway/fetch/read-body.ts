import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, inflate, unzip } from 'node:zlib';
import { ServiceError } from '../../proto/service-error.ts';
import { CallerGone } from '../http/error-reply.ts';
import { headerOf } from '../http/exchange.ts';

/** The largest body, as sent and decompressed. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Up to here a body is read for anybody. */
export const SMALL_BODY_BYTES = 64 * 1024;

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(unzip),
  'x-gzip': promisify(unzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** How many bytes of large bodies are held at once, so that many large requests together cannot exhaust the memory. */
export class HeldBytes {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /** Throws CORE_1 where the limit is reached. */
  take(bytes: number): void {
    if (this.#held + bytes > this.#limit) {
      throw new ServiceError(
        'CORE_1',
        'The service holds too many large requests at the moment; try again.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/**
 * What one request holds of the bytes held altogether. A small body holds none: it is held in any case, about as
 * much as its connection buffers anyway. A larger one is let in only for a caller the core knows, so that strangers
 * cannot take the room of everybody.
 */
export class BodyShare {
  readonly #all: HeldBytes;
  readonly #ask: () => Promise<unknown>;
  #admission: Promise<unknown> | undefined;
  #bytes = 0;

  /** `ask` rejects where the caller may not fetch. */
  constructor(all: HeldBytes, ask: () => Promise<unknown>) {
    this.#all = all;
    this.#ask = ask;
  }

  /** Rejects where the caller may not fetch. Asks once, however often a body grows. */
  admit(): Promise<unknown> {
    this.#admission ??= this.#ask();
    return this.#admission;
  }

  /** Makes room for `bytes` altogether. Rejects as `admit` does, and with CORE_1. */
  async growTo(bytes: number): Promise<void> {
    if (bytes <= SMALL_BODY_BYTES) return;
    await this.admit();
    this.#all.take(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  release(): void {
    this.#all.give(this.#bytes);
    this.#bytes = 0;
  }
}

/**
 * Reads a body as it arrives; undefined where it is over the limit, and then the rest is left unread. Rejects with
 * CallerGone where it breaks off, and as the share does.
 */
export async function readBody(request: IncomingMessage, share: BodyShare): Promise<Buffer | undefined> {
  const declared = Number(headerOf(request, 'content-length'));
  if (declared > MAX_BODY_BYTES) return undefined;
  if (declared > SMALL_BODY_BYTES) await share.admit();
  const chunks: Buffer[] = [];
  let length = 0;
  const arriving = request.iterator({ destroyOnReturn: false });
  const next = () =>
    arriving.next().catch(() => {
      throw new CallerGone();
    });
  try {
    for (let step = await next(); !step.done; step = await next()) {
      const chunk: Buffer = step.value;
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return undefined;
      await share.growTo(length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    await arriving.return?.();
  }
}

/** The codings this reads, for messages and for Accept-Encoding of a 415. */
export const readableCodings = 'gzip, deflate, br';

/** Whether a Content-Encoding can be undone here. */
export function isReadableCoding(coding: string): boolean {
  return coding === '' || coding === 'identity' || Object.hasOwn(decoders, coding);
}

/**
 * Undoes a Content-Encoding. Throws POST_5 where the result is over the limit, POST_2 where the bytes are broken;
 * rejects as the share does.
 */
export async function decodeBody(bytes: Buffer, coding: string, share: BodyShare): Promise<Buffer> {
  const decoder = decoders[coding];
  if (!decoder) return bytes;
  const decodeUpTo = async (maxOutputLength: number): Promise<Buffer | undefined> => {
    try {
      return await decoder(bytes, { maxOutputLength });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
        return undefined;
      throw new ServiceError('POST_2', `The body is not valid ${coding}, as Content-Encoding says it is.`, {
        violations: [{ path: '', message: `is not valid ${coding}` }],
      });
    }
  };
  // A few bytes can unfold to a whole large body, so how many is found out before room is made for them.
  const small = await decodeUpTo(SMALL_BODY_BYTES);
  if (small) return small;
  await share.admit();
  const decoded = await decodeUpTo(MAX_BODY_BYTES);
  if (decoded === undefined) throw tooLarge();
  await share.growTo(bytes.length + decoded.length);
  return decoded;
}

export function tooLarge(): ServiceError {
  return new ServiceError('POST_5', 'The body is over 1 MiB; send fewer addresses in one request.');
}
