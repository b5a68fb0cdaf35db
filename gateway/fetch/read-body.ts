import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, inflate, unzip } from 'node:zlib';
import { ServiceError } from '../../proto/service-error.ts';
import { CallerGone } from '../http/error-reply.ts';
import { headerOf } from '../http/exchange.ts';

/** The largest body, as sent and decompressed. */
export const MAX_BODY_BYTES = 1024 * 1024;

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(unzip),
  'x-gzip': promisify(unzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** How many bytes of bodies are held at once, so that many large requests together cannot exhaust the memory. */
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

/** What one request holds of the bytes held altogether. */
export class BodyShare {
  readonly #all: HeldBytes;
  #bytes = 0;

  constructor(all: HeldBytes) {
    this.#all = all;
  }

  take(bytes: number): void {
    this.#all.take(bytes);
    this.#bytes += bytes;
  }

  release(): void {
    this.#all.give(this.#bytes);
    this.#bytes = 0;
  }
}

/**
 * Reads a body as it arrives; undefined where it is over the limit, and then the rest is left unread. Rejects with
 * CallerGone where it breaks off.
 */
export function readBody(request: IncomingMessage, share: BodyShare): Promise<Buffer | undefined> {
  if (Number(headerOf(request, 'content-length')) > MAX_BODY_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      request.pause();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      try {
        if (length <= MAX_BODY_BYTES) {
          share.take(chunk.length);
          chunks.push(chunk);
          return;
        }
        resolve(undefined);
      } catch (error) {
        reject(error);
      }
      stop();
    };
    const onEnd = (): void => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onGone = (): void => {
      stop();
      reject(new CallerGone());
    };
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}

/** The codings this reads, for messages and for Accept-Encoding of a 415. */
export const readableCodings = 'gzip, deflate, br';

/** Whether a Content-Encoding can be undone here. */
export function isReadableCoding(coding: string): boolean {
  return coding === '' || coding === 'identity' || Object.hasOwn(decoders, coding);
}

/** Undoes a Content-Encoding. Throws POST_5 where the result is over the limit, POST_2 where the bytes are broken. */
export async function decodeBody(bytes: Buffer, coding: string, share: BodyShare): Promise<Buffer> {
  const decoder = decoders[coding];
  if (!decoder) return bytes;
  let decoded: Buffer;
  try {
    decoded = await decoder(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new ServiceError('POST_2', `The body is not valid ${coding}, as Content-Encoding says it is.`, {
      violations: [{ path: '', message: `is not valid ${coding}` }],
    });
  }
  share.take(decoded.length);
  return decoded;
}

export function tooLarge(): ServiceError {
  return new ServiceError('POST_5', 'The body is over 1 MiB; send fewer addresses in one request.');
}
