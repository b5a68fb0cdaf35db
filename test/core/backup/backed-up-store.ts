import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTokenKey } from '../../../core/access/token-key.ts';
import { TokenService } from '../../../core/access/token-service.ts';
import { backupChunks } from '../../../core/backup/backup.ts';
import { beginHour } from '../../../core/history/hour-coding.ts';
import { hourPhase } from '../../../core/history/hour-phase.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { ServerRecords } from '../../../core/servers/server-records.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { payloadOf } from '../payload-of.ts';
import { offlineRecord, onlineRecord } from '../record-of.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { type Booted, boot } from '../store/leveldb/booted.ts';

/** Clock that all test stores share. Each call of backedUp() advances it by one second. */
export const clock = clockAt();
/** Secret of the only token in the test store and its backup. */
export const SECRET = 'a secret of sixteen or more';
/** Secret in the stored credentials of each server of WITH_CREDENTIALS. */
export const SERVER_SECRET = 'a password of a server';
/** Keys of the servers in the test store for which credentials are stored. */
export const WITH_CREDENTIALS = ['csgo 203.0.113.1:27015', 'minecraft 203.0.113.2:27015'];

const SAMPLE: Sample = {
  at: 0,
  state: 'online',
  players: 3,
  maxPlayers: 24,
  bots: 0,
  holdMs: 90_000,
};

/** Returns a backup of an open store, as text. */
export async function backupOf(
  { engine, store, credentials, tokens, quota, lastUse }: Booted,
  directory: string,
): Promise<string> {
  let text = '';
  const tokenKey = () => readTokenKey(directory);
  const records = new ServerRecords({ engine, store, credentials });
  const [servers, list] = [() => records.all(), () => tokens.list()];
  const parts = { servers, credentials, tokens: list, quota, lastUse, webhooks: () => [], tokenKey };
  for await (const chunk of backupChunks({ ...parts, now: clock.now })) text += chunk.toString();
  return text;
}

/**
 * Creates and opens a store with servers, credentials and a token, and makes a backup. Returns the store, the backup
 * text, and the path of a file with this text.
 */
export async function backedUp() {
  const home = scratchDirectory();
  const directory = join(home, 'data');
  mkdirSync(directory);
  const written = await boot(join(directory, 'leveldb'), clock.now, undefined, directory);
  const { store, credentials, tokens, quota, lastUse } = written;
  const servers = Array.from({ length: 30 }, (_, n) => ({
    gameId: n % 2 ? 'csgo' : 'minecraft',
    address: n % 3 ? `203.0.113.${n}:27015` : `[2001:db8::${n}]:27015`,
    insertedBy: 'tok_1',
  }));
  await store.insertIfAbsent(servers);
  const access = { secret: SERVER_SECRET, options: new Map([['query_port', '27016']]) };
  await credentials.changeAccess(WITH_CREDENTIALS, access);
  clock.at += 1_000;
  for (const { id, server } of leaseRecords(store, 20)) {
    const payload = payloadOf({ name: `"${server.address}" \u2028 ☃ \\` });
    const answered = server.address.length % 2 === 1;
    const next = answered
      ? onlineRecord(server, clock.at, { payload, queryPort: 27016 })
      : offlineRecord(server, clock.at, { reason: 'refused' });
    store.apply(id, {
      ...next,
      openHour: answered ? beginHour({ ...SAMPLE, at: clock.at }, hourPhase(server)) : next.openHour,
    });
  }
  const wish = {
    tier: 'FREE',
    email: 'ann@example.com',
    expiresAt: 0,
    allowIps: [],
    allowDomains: ['example.com'],
  };
  const { token } = await new TokenService(tokens, clock.now).create(wish, SECRET);
  quota.charge(token.id);
  quota.charge(token.id);
  lastUse.note(token.id);
  await written.close();
  const booted = await boot(join(directory, 'leveldb'), clock.now, undefined, directory);
  const text = await backupOf(booted, directory);
  const file = join(home, 'backup.ndjson');
  writeFileSync(file, text);
  return { home, directory, booted, text, file };
}

/**
 * Changes the lines of a backup with `change`. Returns the backup with the new lines and with a footer that matches
 * them.
 */
export function changedBackup(text: string, change: (lines: string[]) => string[]): string {
  const lines = change(text.trimEnd().split('\n').slice(0, -1));
  const sha256 = createHash('sha256')
    .update(lines.map(line => `${line}\n`).join(''))
    .digest('hex');
  const counts = { servers: 30, credentials: 2, tokens: 1, usage: 1, last_uses: 1, history: 0 };
  return `${lines.join('\n')}\n${JSON.stringify({ end: true, ...counts, sha256 })}\n`;
}
