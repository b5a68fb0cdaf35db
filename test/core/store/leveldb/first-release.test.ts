import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTokenKey } from '../../../../core/access/token-key.ts';
import { backupChunks } from '../../../../core/backup/backup.ts';
import { openOffline, restoreStore } from '../../../../core/offline-store.ts';
import { payloadOfText } from '../../../../core/servers/record-upgrade.ts';
import {
  noHistory,
  type ProbeHistory,
  type Reason,
  type ServerRecord,
} from '../../../../core/servers/server-record.ts';
import { ServerRecords } from '../../../../core/servers/server-records.ts';
import { decodeState, STATE_KEY } from '../../../../core/store/leveldb/store-state.ts';
import { SCHEMA } from '../../../../core/store/schema.ts';
import { footerOf } from '../../../../proto/codec/backup-lines.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { type Booted, boot } from './booted.ts';

const FIXTURE = join(import.meta.dirname, 'first-release');

/**
 * Form of a server record in the first release. The record has no fields `reason` and `openHour`, its history has fewer
 * fields, and its field `data` is a string.
 */
type FirstRecord = Omit<ServerRecord, 'reason' | 'history' | 'data' | 'openHour'> & {
  failures: number;
  history: Pick<ProbeHistory, 'clean' | 'emptyTicks' | 'sameTicks'>;
  data: string;
};

/**
 * Expected content of the data directory that a core of the first release wrote. `secrets` contains the secrets of the
 * tokens, keyed by token id.
 */
interface Holds {
  at: number;
  servers: FirstRecord[];
  tokens: { id: string; used: number; lastUsedAt: number }[];
  secrets: Record<string, string>;
}

/**
 * Returns a copy of the data directory `first-release`, and the expected content of this directory. A core of the first
 * release wrote the data and was killed.
 */
function fixture(): { directory: string; holds: Holds } {
  const directory = join(scratchDirectory(), 'data');
  cpSync(FIXTURE, directory, { recursive: true });
  // Restores the permissions of the key file, because Git does not store them.
  chmodSync(join(directory, 'token.key'), 0o600);
  return { directory, holds: JSON.parse(readFileSync(join(directory, 'holds.json'), 'utf8')) as Holds };
}

/**
 * Converts a record of the first release to the current form. Sets the history fields that are missing in the record to
 * 0.
 */
function upgraded({ failures: _, history, data, ...record }: FirstRecord): ServerRecord {
  const { clean, emptyTicks, sameTicks } = history;
  const reason: Reason = record.lastProbeAt > 0 ? 'no_reply' : 'unprobed';
  const unknown = { answers: 0, lossShare: 0, limitEvidence: 0 };
  return {
    ...record,
    reason,
    history: { ...unknown, clean, emptyTicks, sameTicks },
    data: payloadOfText(data, record.address),
    isPublic: false,
    openHour: Buffer.alloc(0),
  };
}

async function backupOf(booted: Booted, directory: string, now: () => number) {
  const { engine, store, credentials, tokens, quota, lastUse } = booted;
  let text = '';
  const tokenKey = () => readTokenKey(directory);
  const parts = {
    servers: () => new ServerRecords({ engine, store, credentials }).all(),
    credentials,
    tokens: () => tokens.list(),
    quota,
    lastUse,
    webhooks: () => [],
    tokenKey,
    now,
  };
  for await (const chunk of backupChunks(parts)) text += chunk.toString();
  return text;
}

test('a data directory of the first release can be opened, and its content is complete', async () => {
  const { directory, holds } = fixture();
  const { now } = clockAt(holds.at);
  // Opens the data directory of the first release three times. The first opening upgrades the data, the second reads
  // the upgraded data, and the third verifies the new checksums.
  for (const round of ['found', 'written', 'compared']) {
    const booted = await boot(join(directory, 'leveldb'), now, undefined, directory);
    const { store, tokens, quota, lastUse } = booted;
    const servers = await store.list('', '', 1000);
    assert.deepEqual(servers, holds.servers.map(upgraded), round);
    assert.deepEqual(
      tokens
        .list()
        .map(token => ({ ...token, used: quota.used(token.id), lastUsedAt: lastUse.at(token.id) }))
        .sort((a, b) => a.id.localeCompare(b.id)),
      [...holds.tokens].sort((a, b) => a.id.localeCompare(b.id)),
      round,
    );
    for (const [id, secret] of Object.entries(holds.secrets)) {
      assert.equal(tokens.findBySecret(secret)?.id, id.split(' ')[0], round);
    }
    assert.deepEqual(booted.corrupt, []);
    for await (const [key, value] of booted.engine.entries(STATE_KEY)) {
      assert.equal(key, STATE_KEY);
      assert.equal(decodeState(value)?.schema, SCHEMA, round);
    }
    await booted.close();
  }
});

test('an offline backup of a data directory of the first release contains the servers in the current format', async () => {
  const { directory, holds } = fixture();
  const { now } = clockAt(holds.at);
  const store = await openOffline(directory);
  let text = '';
  for await (const chunk of backupChunks(await store.readBackup(now))) text += chunk.toString();
  await store.close();
  assert.deepEqual(store.faults, []);
  const file = join(scratchDirectory(), 'backup.ndjson');
  writeFileSync(file, text);
  const restored = join(scratchDirectory(), 'restored');
  await restoreStore(file, restored);
  const booted = await boot(join(restored, 'leveldb'), now, undefined, restored);
  assert.deepEqual(await booted.store.list('', '', 1000), holds.servers.map(upgraded));
  assert.equal(await backupOf(booted, restored, now), text);
  await booted.close();
});

test('a backup file of the first release can be restored, and the restored servers have an empty history', async () => {
  const { holds } = fixture();
  const { now } = clockAt(holds.at);
  const header = { gsq: 'backup', format: 1, made_at: '2026-01-01T00:00:00.000Z', token_key: null };
  const lines = holds.servers.map(record => ({
    server: {
      game_id: record.gameId,
      address: record.address,
      inserted_at: record.insertedAt,
      inserted_by: record.insertedBy,
      status: record.status,
      label: record.label,
      interval_ms: record.intervalMs,
      last_probe_at: record.lastProbeAt,
      last_online_at: record.lastOnlineAt,
      next_probe_at: record.nextProbeAt,
      failures: record.failures,
      history: record.history,
      query_port: record.queryPort,
      version: record.version,
      data: record.data,
    },
  }));
  const text = [header, ...lines].map(line => `${JSON.stringify(line)}\n`).join('');
  const counts = {
    servers: lines.length,
    credentials: 0,
    tokens: 0,
    usage: 0,
    last_uses: 0,
    webhooks: 0,
    history: 0,
  };
  // Removes the number of credentials from the last line of the backup, because the first release did not write this
  // number.
  const footer = {
    ...footerOf(counts, createHash('sha256').update(text).digest('hex')),
    credentials: undefined,
  };
  const file = join(scratchDirectory(), 'backup.ndjson');
  writeFileSync(file, `${text}${JSON.stringify(footer)}\n`);
  const restored = join(scratchDirectory(), 'restored');
  assert.deepEqual(await restoreStore(file, restored), counts);
  const booted = await boot(join(restored, 'leveldb'), now, undefined, restored);
  assert.deepEqual(
    await booted.store.list('', '', 1000),
    holds.servers.map(record => ({ ...upgraded(record), history: noHistory })),
  );
  await booted.close();
});
