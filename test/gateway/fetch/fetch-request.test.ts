import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readFetchRequest } from '../../../gateway/fetch/fetch-request.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { ServiceError } from '../../../proto/service-error.ts';

function groupsOf(body: string): { gameId: string; servers: string[] }[] {
  const writer = readFetchRequest(Buffer.from(body));
  const { servers } = gsqV1.FetchServersRequest.deserialize(writer.room(0).subarray(0, writer.length));
  return servers.map(group => ({ gameId: group.gameId, servers: group.servers }));
}

function refusal(body: string | Buffer): ServiceError {
  try {
    readFetchRequest(Buffer.from(body));
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, 'POST_2');
    return error;
  }
  assert.fail(`${body} was accepted`);
}

function pathsOf(body: unknown): (string | undefined)[] {
  return refusal(JSON.stringify(body)).details.violations?.map(({ path }) => path) ?? [];
}

describe('readFetchRequest', () => {
  test('returns the game ids and server addresses in the body unchanged', () => {
    const body = { servers: [{ game_id: 'csgo', servers: ['a:1', '__proto__', '_meta'] }], more: 1 };
    assert.deepEqual(groupsOf(JSON.stringify(body)), [
      { gameId: 'csgo', servers: ['a:1', '__proto__', '_meta'] },
    ]);
  });

  test('accepts a body without groups, a body with a group without addresses, and a body with a byte order mark', () => {
    assert.deepEqual(groupsOf('\ufeff{"servers":[]}'), []);
    assert.deepEqual(groupsOf('{"servers":[{"game_id":"x","servers":[]}]}'), [{ gameId: 'x', servers: [] }]);
  });

  const faults: [unknown, string[]][] = [
    [null, ['']],
    [[], ['']],
    ['text', ['']],
    [{}, ['servers']],
    [{ servers: {} }, ['servers']],
    [{ servers: null }, ['servers']],
    [{ servers: ['a:1'] }, ['servers[0]']],
    [{ servers: [null] }, ['servers[0]']],
    [{ servers: [{ servers: [] }] }, ['servers[0].game_id']],
    [{ servers: [{ game_id: 7, servers: [] }] }, ['servers[0].game_id']],
    [{ servers: [{ game_id: 'x' }] }, ['servers[0].servers']],
    [{ servers: [{ game_id: 'x', servers: 'a:1' }] }, ['servers[0].servers']],
    [
      { servers: [{ game_id: 'x', servers: ['a:1', 2, null] }] },
      ['servers[0].servers[1]', 'servers[0].servers[2]'],
    ],
    [
      { servers: [{ game_id: 'x', servers: [] }, { game_id: null }] },
      ['servers[1].game_id', 'servers[1].servers'],
    ],
  ];
  for (const [body, paths] of faults) {
    test(`refuses ${JSON.stringify(body)} and reports the fault at ${paths.join(' and ') || 'the top level'}`, () => {
      assert.deepEqual(pathsOf(body), paths);
    });
  }

  test('reports a missing key and a value of the wrong type with different messages', () => {
    assert.match(
      refusal('{"servers":[{"servers":[]}]}').message,
      /servers\[0\]\.game_id is missing; it must be a string/,
    );
    assert.match(
      refusal('{"servers":[{"game_id":7,"servers":[]}]}').message,
      /servers\[0\]\.game_id must be a string, not a number/,
    );
  });

  test('refuses a body that is not JSON, and reports the line and the column of the error', () => {
    assert.match(refusal('{"servers":[],\n}').message, /at line 2, column 1\./);
    assert.match(refusal('').message, /is empty/);
  });

  test('refuses a body that is not UTF-8 or contains an unpaired surrogate', () => {
    assert.match(refusal(Buffer.from([0x22, 0xff, 0x22])).message, /not UTF-8/);
    const lone = refusal('{"servers":[{"game_id":"x","servers":["\\ud800:1"]}]}');
    assert.deepEqual(
      lone.details.violations?.map(({ path }) => path),
      ['servers[0].servers[0]'],
    );
  });

  test('reports at most 20 faults of a body', () => {
    assert.equal(pathsOf({ servers: Array(500).fill(1) }).length, 20);
    assert.equal(pathsOf({ servers: [{ game_id: 'x', servers: Array(500).fill(1) }] }).length, 20);
  });

  test('treats __proto__ as an ordinary unknown key', () => {
    assert.deepEqual(pathsOf(JSON.parse('{"__proto__":{"servers":[]}}')), ['servers']);
  });
});
