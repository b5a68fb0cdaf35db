import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DirectoryQuestion } from '../../../prober/directories/directory.ts';
import { FakeDirectories, json, status } from './fake-directories.ts';
import { openGameClient } from './opened-client.ts';

const MINUTE_MS = 60_000;

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

/**
 * Opens a client that looks up servers in the public server list of one game. A fake server on loopback provides the
 * list.
 */
const opened = (protocol: string) => openGameClient(fake, protocol);

describe('a look-up in a directory (online server list)', () => {
  const lacking: [string, Partial<DirectoryQuestion>, string][] = [
    ['discord', { options: new Map() }, 'needs-option'],
    ['discord', { options: new Map([['guild', '../users/1']]) }, 'needs-option'],
    ['scpsl', { options: new Map() }, 'needs-option'],
    ['scpsl', { secret: '' }, 'needs-credentials'],
    ['hawakening', { options: new Map([['username', 'operator']]) }, 'needs-option'],
    ['hawakening', { secret: '' }, 'needs-credentials'],
  ];
  for (const [protocol, more, kind] of lacking) {
    test(`results in \`${kind}\` for ${protocol} if the secret or an option is missing or not valid`, async () => {
      const { ask, close } = opened(protocol);
      assert.equal((await ask(more)).kind, kind);
      assert.equal(fake.seen.length, 0);
      close();
    });
  }

  test('causes no pause of the requests to Discord if the guild (Discord server) is unknown or has no widget', async () => {
    const { answer, ask, close, pauses } = opened('discord');
    answer(status(403, {}, '{"message":"Widget Disabled","code":50004}'));
    assert.equal((await ask()).kind, 'directory-refused');
    answer(status(404, {}, '{"message":"Unknown Guild","code":10004}'));
    assert.equal((await ask({}, 1)).kind, 'not-listed');
    assert.deepEqual(pauses(), []);
    close();
  });

  const foreign404s = [
    status(404),
    status(404, {}, '<html>404 Not Found</html>'),
    status(404, {}, '{"message":"Not Found"}'),
    status(404, {}, '{"message":"404: Not Found","code":0}'),
    status(404, {}, '{"message":"/get-game-details was not found"}'),
    status(404, {}, 'null'),
  ];
  for (const protocol of ['discord', 'factorio', 'hawakening']) {
    test(`results in \`directory-unavailable\` for ${protocol} if a proxy answers with status 404, or if the API has moved`, async () => {
      for (const answering of foreign404s) {
        const { answer, ask, close } = opened(protocol);
        answer(answering);
        assert.equal((await ask()).kind, 'directory-unavailable');
        close();
      }
    });
  }

  test('does not send a refused API key again for ten minutes (game `scpsl`)', async () => {
    const { clock, answer, ask, close, about } = opened('scpsl');
    answer(json({ Success: false, Error: 'Access denied' }));
    assert.equal((await ask()).kind, 'needs-credentials');
    answer(about.answers(1));
    assert.equal((await ask()).kind, 'needs-credentials');
    assert.equal((await ask({ secret: 'another' })).kind, 'online');
    clock.now += 10 * MINUTE_MS;
    assert.equal((await ask()).kind, 'online');
    answer(json({ Success: false, Error: 'Rate limit exceeded' }));
    assert.equal((await ask({}, 1)).kind, 'directory-unavailable');
    close();
  });

  test('reports no error that contains a part of the API key (game `scpsl`)', async () => {
    const { answer, ask, close } = opened('scpsl');
    const secret = 'a-key-of-this-test'.repeat(4);
    for (const before of [0, 50, 80, 99]) {
      answer(json({ Success: false, Error: `${'x'.repeat(before)}${secret} is no key` }));
      const refused = await ask({ secret }, before);
      assert.ok(refused.kind === 'needs-credentials');
      assert.doesNotMatch(refused.detail, /a-k|this/);
    }
    close();
  });

  test('needs only one request for all servers of an account (game `scpsl`)', async () => {
    const { ask, close } = opened('scpsl');
    const byId = (id: string) =>
      ask({
        options: new Map([
          ['account_id', '1000'],
          ['server_id', id],
        ]),
      });
    const names = [];
    for (const id of ['1', '2', '3']) {
      const found = await byId(id);
      names.push(found.kind === 'online' ? found.status.players : found.kind);
    }
    assert.deepEqual(names, [0, 3, 'not-listed']);
    assert.equal(fake.seen.length, 1);
    close();
  });

  test('gives `directory-unavailable` if the reply contains no server list (game `scpsl`)', async () => {
    const { answer, ask, close } = opened('scpsl');
    for (const Servers of [undefined, null, 'none']) {
      answer(json({ Success: true, Servers }));
      assert.equal((await ask()).kind, 'directory-unavailable');
    }
    answer(json({ Success: true, Servers: [] }));
    assert.equal((await ask()).kind, 'not-listed');
    close();
  });
});
