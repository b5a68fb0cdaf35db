import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { importPast } from '../../../cli/demo/import-past.ts';
import { startOn } from '../../contract/in-process.ts';
import { ask } from '../../gateway/ask.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { stackDefaults } from '../../system/stack-settings.ts';

test('the demo adds a week of invented history for its servers only if its data directory is new', async () => {
  const directory = join(scratchDirectory(), 'data');
  const notes = { servers: JSON.stringify([{ address: '127.0.0.1:27515' }, { address: '127.0.0.1:27516' }]) };
  const env = { ...process.env, ...stackDefaults, GSQ_DATA_DIR: directory, GSQ_LOG_LEVEL: 'silent' };
  await importPast(notes, env);
  assert.ok(existsSync(directory));
  for (const round of ['first', 'second']) {
    const service = await startOn(directory, { GSQ_PAGE: 'on' });
    const { json } = await ask(service.http, {
      path: '/v1/servers/counterstrike2/127.0.0.1%3A27515/uptime?window=7d',
    });
    const [week] = json.windows as { online_share: number; known_share: number }[];
    assert.ok(week && week.known_share > 0.9 && week.online_share > 0.5, `${round}: ${JSON.stringify(json)}`);
    assert.equal((await ask(service.http, { path: '/v1/summary' })).json.servers, 2, round);
    await service.stop();
    await importPast({ servers: JSON.stringify([{ address: '127.0.0.1:1' }]) }, env);
  }
});
