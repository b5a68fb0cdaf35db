import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backupChunks } from '../../../core/backup/backup.ts';
import { readableData } from '../../../core/backup/stored-data.ts';
import { CREDENTIALS_KEY_FILE } from '../../../core/credentials/credentials-key.ts';
import { KeptKey } from '../../../core/credentials/kept-key.ts';
import { restoreStore } from '../../../core/offline-store.ts';
import { Webhooks } from '../../../core/webhooks/webhooks.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { openEngine } from '../scratch-store.ts';
import { HookWorld, URL_TEXT, wish } from './hook-world.ts';

test('a backup contains the webhooks with encrypted URLs, and the restore needs the same credentials key', async t => {
  const world = await HookWorld.open(t);
  const { webhook, secret } = await world.hooks.create(world.token('tok_000000000001'), wish());
  const source = await readableData(world.level, () => undefined, world.clock.now, []);
  const chunks: Buffer[] = [];
  for await (const chunk of backupChunks(source)) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  for (const hidden of ['hooks.example', 'path-of-a-secret', secret])
    assert.equal(text.includes(hidden), false);
  const file = join(world.directory, 'backup');
  writeFileSync(file, text);

  const restored = scratchDirectory();
  assert.equal((await restoreStore(file, join(restored, 'data'))).webhooks, 1);
  const engine = await openEngine(t, join(restored, 'data', 'leveldb'));
  const load = async (): Promise<Webhooks> => {
    const loaded = new Webhooks(engine, new KeptKey(restored), world.clock.now);
    await loaded.load();
    return loaded;
  };
  await assert.rejects(load, { name: 'ConfigError', message: /credentials\.key is missing/ });
  copyFileSync(join(world.directory, CREDENTIALS_KEY_FILE), join(restored, CREDENTIALS_KEY_FILE));
  const webhooks = await load();
  assert.deepEqual(webhooks.list(''), [webhook]);
  assert.deepEqual(webhooks.secretsOf(webhook.id), { url: URL_TEXT, secret });

  const without = await restoreStore(file, join(scratchDirectory(), 'data'), true);
  assert.equal(without.webhooks, 0);
});
