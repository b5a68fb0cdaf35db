import { cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { TokenService } from '../../core/access/token-service.ts';
import type { OpenedStore } from '../../core/open-store.ts';
import { payloadOf } from '../core/payload-of.ts';
import { onlineRecord } from '../core/record-of.ts';
import { leaseRecords } from '../core/store/lease-records.ts';
import { CoreProcess } from './core-process.ts';
import { Trial } from './trial.ts';
import { clock, closeAsCore, contentOf, now, openAsCore, type WholeData } from './whole-data.ts';

/** Number of servers that each call of runSession() inserts. */
const SERVERS = 500;
const SESSIONS = 4;
/** Minimum number of acknowledged inserts before the test kills a core process and copies its data directory. */
const BEFORE_KILL = 1_500;

/** A data directory that tests copy and damage. */
export interface Template {
  name: string;
  directory: string;
  /**
   * Compares the content of a damaged copy with the original content of the data directory. Returns a description of
   * the loss, or undefined if nothing is lost.
   */
  loss(found: WholeData): string | undefined;
}

const address = (n: number): string => `203.${n >> 16}.${(n >> 8) & 255}.${n & 255}:27015`;

/** Records one successful probe for each of up to `count` servers. Does not wait until the new records are on disk. */
function update(opened: OpenedStore, count: number, round: number): void {
  clock.at += 600_000;
  for (const { id, server } of leaseRecords(opened.store, count)) {
    const payload = payloadOf({ name: `${server.address} in round ${round}`, map: 'x'.repeat(200) });
    opened.store.apply(id, onlineRecord(server, now(), { payload }));
  }
}

/**
 * Inserts and changes servers, tokens and credentials, as a running core does. Resolves when the last write is
 * acknowledged.
 */
async function runSession(opened: OpenedStore, session: number): Promise<void> {
  const { store, tokens, quota, lastUse, credentials } = opened;
  const servers = Array.from({ length: SERVERS }, (_, i) => {
    return { gameId: i % 2 ? 'csgo' : 'css', address: address(session * SERVERS + i), insertedBy: 'tok_1' };
  });
  for (let i = 0; i < SERVERS; i += 50) await store.insertIfAbsent(servers.slice(i, i + 50));
  update(opened, SERVERS, session);
  const service = new TokenService(tokens, now);
  const wish = { tier: 'FREE', email: 'ann@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
  const { token } = await service.create(wish);
  for (let i = 0; i <= session; i++) quota.charge(token.id);
  lastUse.note(token.id);
  quota.flush();
  lastUse.flush();
  const keys = servers.slice(0, 20).map(({ gameId, address: at }) => `${gameId} ${at}`);
  await credentials.changeAccess(keys, { secret: `secret ${session}`, options: new Map() });
  await service.revoke(token.id);
}

/** Copies the data directory of an open store while LevelDB neither creates nor deletes a file. */
function copySettled(directory: string, copy: string): void {
  const names = (): string => readdirSync(join(directory, 'leveldb')).join();
  for (;;) {
    const before = names();
    try {
      cpSync(directory, copy, { recursive: true });
      if (names() === before) return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}

function bytesOf(directory: string): number {
  const store = join(directory, 'leveldb');
  return readdirSync(store).reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
}

async function template(name: string, directory: string, isExact: boolean): Promise<Template> {
  const copy = `${directory}-baseline`;
  cpSync(directory, copy, { recursive: true });
  const opened = await openAsCore(copy);
  const whole = await contentOf(opened);
  await closeAsCore(opened);
  return {
    name,
    directory,
    loss(found) {
      if (found.acknowledged !== whole.acknowledged) return 'acknowledged data differs';
      return isExact && found.all !== whole.all ? 'data of servers or usage of tokens differs' : undefined;
    },
  };
}

/**
 * Creates three data directories from the same store: one after a normal stop, and two in the state that a kill leaves
 * behind.
 */
async function writtenHere(home: string): Promise<Template[]> {
  const directory = join(home, 'stopped');
  mkdirSync(directory);
  for (let session = 0; session < SESSIONS - 1; session++) {
    const opened = await openAsCore(directory);
    await runSession(opened, session);
    await closeAsCore(opened);
  }
  const opened = await openAsCore(directory);
  await runSession(opened, SESSIONS - 1);
  copySettled(directory, join(home, 'killed'));
  const before = bytesOf(directory);
  update(opened, 100, SESSIONS);
  for (let turns = 0; bytesOf(directory) === before; turns++) {
    if (turns > 1_000_000) throw new Error('the updates of servers were not written');
    await turn();
  }
  copySettled(directory, join(home, 'killed-unsynced'));
  await closeAsCore(opened);
  return [
    await template('stopped', directory, true),
    await template('killed after an acknowledged write', join(home, 'killed'), true),
    // The last write to this data directory was not acknowledged. Therefore a copy with a damaged log of LevelDB is
    // allowed to lose this write.
    await template('killed after an unacknowledged write', join(home, 'killed-unsynced'), false),
  ];
}

/** Data directory of a core process that was killed with SIGKILL during inserts. */
async function killedProcess(home: string, seed: number): Promise<Template> {
  const trial = new Trial(join(home, 'process'), seed);
  const core = await CoreProcess.start(trial.directory);
  const load = await trial.load(core);
  while (load.acknowledged < BEFORE_KILL && core.child.running) await turn();
  await core.child.stop('SIGKILL');
  await load.stop();
  const inserted = trial.history.acknowledged;
  return {
    name: 'a process killed with SIGKILL',
    directory: trial.directory,
    loss({ servers }) {
      const addresses = new Set([...servers].map(key => key.slice(key.indexOf(' ') + 1)));
      const lost = inserted.filter(each => !addresses.has(each)).length;
      return lost > 0 ? `${lost} of ${inserted.length} acknowledged inserts are lost` : undefined;
    },
  };
}

/**
 * Creates all data directories that the tests copy and damage. `seed`: seed of the random inserts into the core
 * process.
 */
export async function damageTemplates(home: string, seed: number): Promise<Template[]> {
  return [...(await writtenHere(home)), await killedProcess(home, seed)];
}
