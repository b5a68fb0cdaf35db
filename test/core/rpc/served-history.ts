import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { HistoryReader } from '../../../core/history/history-reader.ts';
import type { HistoryStore } from '../../../core/history/history-store.ts';
import { beginHour } from '../../../core/history/hour-coding.ts';
import { hourPhaseOfKey } from '../../../core/history/hour-phase.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { historyService } from '../../../core/rpc/history-service.ts';
import { Readers } from '../../../core/rpc/readers.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { clients, credentialKeys } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { openAuthenticator } from '../access/authenticator-fixture.ts';
import { catalogOf } from '../catalog-of.ts';

/** One minute in milliseconds. */
export const MINUTE = 60_000;
/** One day in milliseconds. */
export const DAY = 86_400_000;
/**
 * The fields of a request that name the server of `served`: an alias of its game, and another spelling of its address.
 */
export const named = { gameId: 'oldcsgo', server: 'EXAMPLE.com.:27015' };
const none = async () => [];
const PHASE = hourPhaseOfKey('csgo example.com:27015');

/**
 * Serves the history of one server, csgo example.com:27015. The server was inserted a day ago, and answered two minutes
 * ago with three players. `change` replaces methods of the history store. Some of the results:
 *
 * - `at`: the time of the only sample, Unix ms.
 * - `used()`: the number of requests that were counted against the daily quota of the token in `metadata`.
 */
export async function served(t: TestContext, change: Partial<HistoryStore> = {}) {
  const { clock, authenticator, quota, token } = await openAuthenticator(t);
  const at = clock.at - 2 * MINUTE;
  const server = {
    ...newRecord('csgo', 'example.com:27015', 'admin', clock.at - DAY, MINUTE),
    openHour: beginHour({ at, state: 'online', players: 3, maxPlayers: 8, bots: 0, holdMs: 90_000 }, PHASE),
  };
  const store = { hours: none, quarters: none, days: none, incidents: none, oldest: () => 0, ...change };
  const retention = { samplesMs: DAY, quartersMs: 30 * DAY };
  const handlers = new Handlers(
    () => {},
    error => assert.fail(String(error)),
  );
  const core = createInternalServer();
  const dependencies = {
    readers: new Readers(authenticator, false),
    catalog: await catalogOf(clock.now, 'csgo'),
    records: {
      readRecords: async (keys: readonly string[]) =>
        keys.map(key => (key === server.key ? server : undefined)),
    },
    history: new HistoryReader({ store, retention, longestHoldMs: 5_400_000, now: clock.now }),
    now: clock.now,
  };
  core.addService(gsqV1.HistoryService.service, historyService(dependencies, handlers));
  const endpoint = await listen(core, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 });
  const client = clients.history(formatEndpoint(endpoint));
  t.after(() => {
    client.close();
    core.forceShutdown();
  });
  const { id, credentials } = await token();
  const metadata = new Metadata();
  for (const [name, key] of Object.entries(credentialKeys)) metadata.set(key, credentials[name as 'token']);
  return { client, metadata, clock, used: () => quota.used(id), at };
}
