import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { GivenUpServers } from '../../../core/servers/given-up-servers.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { offlineRecord } from '../record-of.ts';

/** One minute in milliseconds. */
export const MINUTE = 60_000;
/** One hour in milliseconds. */
export const HOUR = 60 * MINUTE;
/** Address of a test server: a host name and a port. */
export const NAME = 'play.example.com:27015';

/**
 * Opens an empty store of given-up servers (servers that gsq gave up because they never answered). Returns the tools
 * for a test. `open`: function that closes the store and loads it again from its directory. `corrupt`: list of the keys
 * of all corrupt entries that were found while loading.
 */
export async function openedGivenUp(t: TestContext, most = 10) {
  const clock = clockAt();
  const directory = scratchDirectory();
  const corrupt: string[] = [];
  const tracked = new Set<string>();
  let engine: LevelDbStore | undefined;
  const open = async (limit = most): Promise<GivenUpServers> => {
    await engine?.close();
    engine = await LevelDbStore.open(directory, error => assert.fail(error));
    return GivenUpServers.load(engine, {
      now: clock.now,
      most: limit,
      isTracked: key => tracked.has(key),
      onCorrupt: key => corrupt.push(key),
    });
  };
  const givenUp = await open();
  t.after(() => engine?.close());
  /**
   * Waits until all earlier writes are finished. Returns the stored keys and values of the given-up servers, which
   * never answered.
   */
  const stored = async (): Promise<[key: string, value: Buffer][]> => {
    await engine?.commit([]);
    const entries: [string, Buffer][] = [];
    for await (const entry of engine?.entries('n/') ?? []) entries.push(entry);
    return entries;
  };
  const write = (key: string, value: Buffer) => engine?.commit([{ type: 'put', key, value }]);
  return { clock, givenUp, open, corrupt, tracked, stored, write };
}

/** Returns the record of a new server. `now`: ms since the Unix epoch. */
export const pendingOf = (address: string, now: number): ServerRecord =>
  newRecord('csgo', address, 'tok_1', now, MINUTE);

/** Finds the csgo server with this address among the given-up servers, which never answered. */
export const find = (givenUp: GivenUpServers, address: string) => givenUp.find(`csgo ${address}`, []);

/** Adds a new server to the given-up servers, as if it had never answered. Returns its record. */
export function giveUp(givenUp: GivenUpServers, address: string, now: number): ServerRecord {
  const pending = pendingOf(address, now);
  return givenUp.addServer(pending, offlineRecord(pending, now));
}
