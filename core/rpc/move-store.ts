import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ClusterServiceHandlers } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { HistoryDirectories } from '../../proto/generated/gsq/v1/HistoryDirectories.ts';
import type { MoveStoreRequest__Output } from '../../proto/generated/gsq/v1/MoveStoreRequest.ts';
import type { MoveStoreResponse } from '../../proto/generated/gsq/v1/MoveStoreResponse.ts';
import type { StoreState } from '../../proto/generated/gsq/v1/StoreState.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Logger } from '../../runtime/log.ts';
import type { HandedStore, HandOver } from '../migration/hand-over.ts';
import { WindowOver } from '../migration/source.ts';
import type { HistoryPages } from '../store/history/history-backup.ts';
import type { StoredEntry } from '../store/storage-engine.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';
import { writeAndWait } from './stream-writer.ts';

type Stream = ServerDuplexStream<MoveStoreRequest__Output, MoveStoreResponse>;

/**
 * Size at which a response to `gsq migrate` is full, in bytes. The core then adds no more entries to it. The size is
 * limited, because the core answers no fetches while it prepares a response (a few milliseconds).
 */
const PAGE_BYTES = 256 * 1024;
/** Maximum number of keys whose entries one request can read. */
export const MAX_READ_KEYS = 1_000;

/** Objects that `moveStore` needs to handle the calls of `gsq migrate`. */
export interface MoveStoreDependencies {
  /** Begins a migration. Returns the embedded store and its history, from which `gsq migrate` reads. */
  begin(): HandedStore;
  /**
   * Returns the device and inode of the lock file of the store. With them, `gsq migrate` checks that this core uses the
   * expected data directory.
   */
  lockFile: () => string;
  log: Logger;
  /** Signal that is aborted when the core begins to shut down. */
  closing: AbortSignal;
}

/** Creates the handler of ClusterService.MoveStore, with which `gsq migrate` moves the store of a running core. */
export function moveStore(dependencies: MoveStoreDependencies, handlers: Handlers) {
  const { begin, lockFile, log, closing } = dependencies;
  let isMoving = false;
  return handlers.bidi(async (stream: Stream) => {
    if (isMoving)
      throw new ServiceError('CORE_1', 'another gsq migrate already moves the store of this core');
    isMoving = true;
    const handed = begin();
    log.info('store: gsq migrate copies it to another store');
    try {
      await answerAll(stream, closing, request => answer(handed, request, lockFile(), log));
    } finally {
      isMoving = false;
      await handed.store.close();
      log.info('store: gsq migrate has ended');
    }
  }) satisfies ClusterServiceHandlers['MoveStore'];
}

/** Answers the requests of a stream one after another, until the stream ends or a request fails. */
async function answerAll(
  stream: Stream,
  closing: AbortSignal,
  respond: (request: MoveStoreRequest__Output) => Promise<MoveStoreResponse>,
): Promise<void> {
  const ended = streamEnd(stream, closing);
  let last: Promise<void> = Promise.resolve();
  const failed = new Promise<never>((_resolve, reject) => {
    stream.on('data', (request: MoveStoreRequest__Output) => {
      last = last.then(async () => writeAndWait(stream, await respond(request)));
      last.catch(error => reject(toServiceError(error)));
    });
  });
  await Promise.race([ended, failed]);
  await last.catch(() => {});
}

function toServiceError(error: unknown): unknown {
  return error instanceof WindowOver ? new ServiceError('CORE_1', error.message) : error;
}

async function answer(
  { store, history }: HandedStore,
  request: MoveStoreRequest__Output,
  lockFile: string,
  log: Logger,
): Promise<MoveStoreResponse> {
  switch (request.step) {
    case 'readAfter':
      return { entries: await readPage(store, request.readAfter ?? '') };
    case 'read':
      return {
        entries: [...(await store.getMany((request.read?.keys ?? []).slice(0, MAX_READ_KEYS)))].map(toEntry),
      };
    case 'readChanges': {
      const { entries, removed, left } = await store.changes();
      return { entries: entries.map(toEntry), removed: [...removed], left };
    }
    case 'settle':
      await store.settle();
      return {};
    case 'hold':
      await store.hold();
      log.info('store: read-only, while gsq migrate copies the last changes');
      return {};
    case 'commit': {
      const { target = '', id = '' } = request.commit ?? {};
      await store.commit({ target, id });
      log.warn({ target }, 'store: its data was moved; this core stays read-only until it is stopped');
      return {};
    }
    case 'release':
      await store.release();
      log.warn('store: gsq migrate was given up; changes are accepted again');
      return {};
    case 'lookHistory':
      return { history: await describeHistory(history) };
    case 'readHistory': {
      const { path = '', after = Buffer.alloc(0) } = request.readHistory ?? {};
      const page = await history.page(path, after);
      return { historyEntries: page.map(([key, value]) => ({ key, value })) };
    }
    default:
      return { state: await describe(store, lockFile) };
  }
}

async function readPage(store: HandOver, after: string): Promise<ReturnType<typeof toEntry>[]> {
  const page: ReturnType<typeof toEntry>[] = [];
  let bytes = 0;
  for await (const piece of store.pieces(after)) {
    for (const entry of piece) {
      page.push(toEntry(entry));
      bytes += entry[0].length + entry[1].length;
    }
    if (bytes >= PAGE_BYTES) break;
  }
  return page;
}

async function describeHistory({ secret, versions }: HistoryPages): Promise<HistoryDirectories> {
  return { secret, directories: Array.from(await versions(), ([path, version]) => ({ path, version })) };
}

const toEntry = ([key, value]: StoredEntry) => ({ key, value });

async function describe(store: HandOver, lockFile: string): Promise<StoreState> {
  const digests = Array.from(await store.digests(), ([prefix, { count, sum }]) => ({
    prefix,
    entries: count,
    sum,
  }));
  return { lockFile, moved: (await store.moved()) ?? null, digests };
}
