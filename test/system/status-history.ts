import { Metadata } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import type { Timestamp__Output } from '../../proto/generated/google/protobuf/Timestamp.ts';
import type { ServerResult__Output } from '../../proto/generated/gsq/v1/ServerResult.ts';
import { bootstrap } from './stack-settings.ts';

/** State of a server in one message of the gRPC stream WatchServers. */
export interface Sight {
  status: string;
  /** The reason why the game server is not online. Empty if the server is online. */
  reason: string;
  /**
   * Time of the last probe of the server, in milliseconds since the Unix epoch. It is 0 if the server was never probed.
   */
  lastProbeAt: number;
  name: string;
}

function msOf(time: Timestamp__Output | null | undefined): number {
  return time ? Number(time.seconds) * 1000 + Math.round(time.nanos / 1e6) : 0;
}

function sightOf({ updater, payload }: ServerResult__Output): Sight {
  return {
    status: updater?.status ?? '',
    reason: updater?.reason ?? '',
    lastProbeAt: msOf(updater?.lastProbeAt),
    name: payload?.name ?? '',
  };
}

/**
 * Follows some servers with the gRPC method WatchServers, and records all their states in order. Opens a new stream if
 * the stream ends, for example after a restart of the core.
 */
export class StatusHistory {
  readonly #sights = new Map<string, Sight[]>();
  readonly #client;
  #stop: () => void = () => {};
  #stopped = false;

  constructor(grpc: string, gameId: string, servers: readonly string[]) {
    this.#client = clients.server(grpc);
    const metadata = new Metadata();
    metadata.set(credentialKeys.token, bootstrap.token);
    metadata.set(credentialKeys.tier, bootstrap.tier);
    metadata.set(credentialKeys.email, bootstrap.email);
    const watch = (): void => {
      if (this.#stopped) return;
      const stream = this.#client.watchServers({ servers: [{ gameId, servers: [...servers] }] }, metadata);
      this.#stop = () => stream.cancel();
      stream.on('data', ({ snapshot, change }) => {
        for (const result of snapshot?.results ?? [change]) if (result) this.#add(result);
      });
      stream.on('error', () => {});
      stream.on('close', () => setTimeout(watch, 50));
    };
    watch();
  }

  /** Returns all recorded states of one server, the oldest first. */
  of(server: string): readonly Sight[] {
    return this.#sights.get(server) ?? [];
  }

  newest(server: string): Sight | undefined {
    return this.of(server).at(-1);
  }

  stop(): void {
    this.#stopped = true;
    this.#stop();
    this.#client.close();
  }

  #add(result: ServerResult__Output): void {
    const sights = this.#sights.get(result.server);
    if (sights) sights.push(sightOf(result));
    else this.#sights.set(result.server, [sightOf(result)]);
  }
}

/**
 * Checks the recorded states of a healthy server. The server must stay online with the same name, and the time of its
 * last probe must never go back. Returns a description of each violation.
 */
export function faultsOf(server: string, sights: readonly Sight[], name: string): string[] {
  const faults: string[] = [];
  let last: Sight | undefined;
  for (const sight of sights) {
    if (last?.status === 'SERVER_STATUS_ONLINE') {
      if (sight.status !== 'SERVER_STATUS_ONLINE') faults.push(`${server} became ${sight.status}`);
      if (sight.name !== name) faults.push(`${server} is called "${sight.name}"`);
    }
    if (last && sight.lastProbeAt < last.lastProbeAt) {
      faults.push(`${server} was probed at ${last.lastProbeAt}, then last at ${sight.lastProbeAt}`);
    }
    last = sight;
  }
  return faults;
}
