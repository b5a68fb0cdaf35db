import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { DirectoryQuestion } from '../../../prober/directories/directory.ts';
import { WINDOW_MS } from '../../../prober/directories/request-rate-limit.ts';
import { type Answering, FakeDirectories, json, nothing, status } from './fake-directories.ts';
import { addressOf, type GameOfDirectory, games, PORT, questionAbout } from './games.ts';
import { openClient } from './opened-client.ts';

const MINUTE_MS = 60_000;

let fake: FakeDirectories;
before(async () => {
  fake = await FakeDirectories.start();
});
after(() => fake.stop());

function game(protocol: string): GameOfDirectory {
  const found = games.find(each => each.protocol === protocol);
  assert.ok(found);
  return found;
}

/** Opens a directory client for one game. The test decides how the directory of the game answers. */
function opened(protocol: string) {
  const about = game(protocol);
  fake.seen.length = 0;
  const answer = (answering: Answering) => {
    for (const host of about.hosts) fake.answering.set(host, answering);
  };
  answer(about.answers(10));
  const opening = openClient(fake);
  const ask = (more: Partial<DirectoryQuestion> = {}, i = 0) =>
    opening.client.ask({ ...questionAbout(about, i), ...more });
  return { ...opening, about, answer, ask };
}

/** Answers like the Hawakening directory: accepts every log-in, and returns a list with one server. */
function hawakeningList(entry: object): Answering {
  return (request, response, body) => {
    const Result = request.method === 'POST' ? 'granted' : [entry];
    json({ Status: 200, Result })(request, response, body);
  };
}

describe('a directory list', () => {
  test('is downloaded again only if it has changed', async () => {
    const { clock, about, answer, ask, close, notes } = opened('minetest');
    const changed = 'Wed, 21 Oct 2015 07:28:00 GMT';
    const whole = about.answers(10);
    answer((request, response, body) => {
      const isKnown = request.headers['if-none-match'] === '"one"';
      if (isKnown && request.headers['if-modified-since'] === changed) response.writeHead(304).end();
      else {
        response.setHeader('etag', '"one"').setHeader('last-modified', changed);
        whole(request, response, body);
      }
    });
    for (let i = 0; i < 3; i++) {
      assert.equal((await ask()).kind, 'online');
      clock.now += WINDOW_MS;
    }
    const results = notes.map(note => note.kind === 'request' && note.result);
    assert.deepEqual(results, ['ok', 'unchanged', 'unchanged']);
    close();
  });

  test('that shrank must stay small for ten minutes before a missing server counts as not listed', async () => {
    const { clock, about, answer, ask, close } = opened('ragemp');
    const kinds = async () => [(await ask({}, 0)).kind, (await ask({}, 9)).kind];
    assert.deepEqual(await kinds(), ['online', 'online']);
    answer(about.answers(2));
    for (let minutes = 0; minutes < 10; minutes++) {
      clock.now += WINDOW_MS;
      assert.deepEqual(await kinds(), ['online', 'directory-unavailable']);
    }
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['online', 'not-listed']);
    answer(about.answers(0));
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['directory-unavailable', 'directory-unavailable']);
    answer(about.answers(10));
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['online', 'online']);
    close();
  });

  test('that cannot be fetched again is not used any more after its lifetime', async () => {
    const { clock, answer, ask, close } = opened('beammp');
    assert.equal((await ask()).kind, 'online');
    answer(status(503));
    clock.now += WINDOW_MS;
    assert.equal((await ask()).kind, 'directory-unavailable');
    close();
  });

  test('finds a server by the host name with which it is tracked', async () => {
    const { ask, close } = opened('minetest');
    assert.equal((await ask({ host: 'Play.Example.net', address: '192.0.2.1' })).kind, 'online');
    assert.equal((await ask({ host: 'other.example.net', address: '192.0.2.1' })).kind, 'not-listed');
    close();
  });

  test('finds a server by the id that its operator set', async () => {
    for (const [protocol, id] of [
      ['altvmp', 'altv-1'],
      ['brokeprotocol', 'BROKE-1'],
    ] as const) {
      const { ask, close } = opened(protocol);
      const kindOf = async (server_id: string) =>
        (await ask({ address: '192.0.2.1', options: new Map([['server_id', server_id]]) })).kind;
      assert.equal(await kindOf(id), 'online');
      assert.equal(await kindOf('other'), 'not-listed');
      close();
    }
  });

  test('is decompressed if it is sent with gzip', async () => {
    const { answer, ask, close } = opened('vintagestory');
    const text = {
      data: [{ serverName: 'Packed', serverIP: `198.51.100.0:${PORT}`, players: 1, maxPlayers: 2 }],
    };
    answer((request, response) => {
      assert.equal(request.headers['accept-encoding'], 'gzip');
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(text)));
    });
    const answered = await ask();
    assert.equal(answered.kind === 'online' && answered.status.name, 'Packed');
    close();
  });

  test('is accepted if some of its entries are not valid', async () => {
    const { answer, ask, close } = opened('ragemp');
    const broken = { id: 'b', servers: [{ id: `198.51.100.0:${PORT}`, players: { amount: 'many' } }] };
    answer(json([null, 7, broken, { id: 'c', servers: 'none' }]));
    assert.equal((await ask()).kind, 'directory-unavailable');
    assert.equal((await ask({}, 1)).kind, 'not-listed');
    close();
  });

  test('of Stationeers can contain ports as text or numbers, but its player counts must be valid', async () => {
    const { clock, answer, ask, close } = opened('stationeers');
    const entry = { Name: 'Moon', Address: addressOf(0), Port: PORT, Players: 1, MaxPlayers: 8 };
    const kindOf = async (...entries: unknown[]) => {
      answer(json({ GameSessions: entries }));
      clock.now += 2 * MINUTE_MS;
      return (await ask()).kind;
    };
    assert.equal(await kindOf(entry), 'online');
    assert.equal(await kindOf({ ...entry, Port: `${PORT}` }), 'online');
    assert.equal(await kindOf({ ...entry, Port: `${PORT}0` }), 'not-listed');
    assert.equal(await kindOf(null, 7, { Address: 7 }, entry), 'online');
    for (const count of [-1, 1e9, 'many', '0x1', []]) {
      assert.equal(await kindOf({ ...entry, Players: count }), 'directory-unavailable', String(count));
      assert.equal(await kindOf({ ...entry, MaxPlayers: count }), 'directory-unavailable', String(count));
    }
    for (const count of [null, undefined])
      assert.equal(await kindOf({ ...entry, Players: count }), 'online', 'a count may be left out');
    close();
  });

  test('with more than 100,000 servers is rejected', async () => {
    const { answer, close } = opened('vintagestory');
    const data = Array.from({ length: 100_001 }, (_, i) => ({ serverIP: `x:${i}` }));
    answer(json({ data }));
    const large = openClient(fake, { maxBytes: 1 << 22 });
    const { kind } = await large.client.ask(questionAbout(game('vintagestory')));
    assert.equal(kind, 'directory-unavailable');
    large.close();
    close();
  });

  test('of the second host is used if the first host fails, and later the first host is used again', async () => {
    const { clock, about, answer, ask, close } = opened('brokeprotocol');
    fake.answering.set('bp.userr00t.com', status(503));
    assert.equal((await ask()).kind, 'online');
    const hosts = () => fake.seen.splice(0).map(({ host }) => host);
    assert.deepEqual(hosts(), ['bp.userr00t.com', 'brokeprotocol.com']);
    answer(about.answers(1));
    clock.now += WINDOW_MS;
    assert.equal((await ask()).kind, 'online');
    assert.equal((await ask({}, 5)).kind, 'not-listed');
    assert.deepEqual(hosts(), ['bp.userr00t.com']);
    close();
  });
});

describe('a redirect of a directory', () => {
  /** Answers with a chain of `hops` redirects, from path to path. The last path answers with `then`. */
  const leading =
    (hops: number, then: Answering): Answering =>
    (request, response, body) => {
      const at = Number(/^\/hop(\d)$/.exec(request.url ?? '')?.[1] ?? 0);
      if (at === hops) then(request, response, body);
      else response.writeHead(302, { location: `/hop${at + 1}` }).end();
    };

  test('of a list counts as a request, and is followed when the rate limit allows another request', async () => {
    const { clock, about, answer, ask, close, notes } = opened('minetest');
    answer(leading(3, about.answers(1)));
    for (let hop = 1; hop <= 3; hop++) {
      const paced = await ask();
      assert.ok(paced.kind === 'paced' && paced.retryAfterMs, JSON.stringify(paced));
      assert.equal((await ask()).kind, 'paced');
      assert.equal(fake.seen.length, hop);
      clock.now += paced.retryAfterMs;
    }
    assert.equal((await ask()).kind, 'online');
    assert.deepEqual(
      fake.seen.map(({ path }) => path),
      ['/list', '/hop1', '/hop2', '/hop3'],
    );
    const results = notes.map(note => note.kind === 'request' && note.result);
    assert.deepEqual(results, ['redirected', 'redirected', 'redirected', 'ok']);
    close();
  });

  test('of a list counts as a failure after more than three redirects in a row', async () => {
    const { clock, answer, ask, close, pauses } = opened('minetest');
    answer(leading(9, nothing));
    let kind = 'paced';
    for (let i = 0; i < 10 && kind === 'paced'; i++) {
      const answered = await ask();
      ({ kind } = answered);
      if (kind === 'paced') clock.now += 'retryAfterMs' in answered ? (answered.retryAfterMs ?? 0) : 0;
    }
    assert.equal(kind, 'directory-unavailable');
    assert.match(pauses().at(-1)?.detail ?? '', /redirects more than 3 times/);
    assert.equal(fake.seen.length, 4);
    close();
  });

  test('of a single look-up is followed immediately if the rate limit allows another request', async () => {
    const { about, answer, ask, close } = opened('factorio');
    answer(leading(1, about.answers(1)));
    for (let i = 0; i < 10; i++) assert.equal((await ask({}, i)).kind, 'online');
    assert.equal(fake.seen.length, 20);
    close();
  });

  test('is not followed if the request was a POST', async () => {
    const { answer, ask, close } = opened('renown');
    answer(status(307, { location: '/hop1' }));
    assert.equal((await ask()).kind, 'directory-unavailable');
    assert.equal(fake.seen.length, 1);
    close();
  });
});

describe('a directory entry', () => {
  const AT = addressOf(0);
  const brokeServer = { Ip: AT, Port: PORT, PlayerLimit: 50, Snapshots: [] };
  const account = (server: object) =>
    json({ Success: true, Servers: [{ Port: PORT, Online: true, ...server }] });
  const info = Buffer.from('Named').toString('base64');
  const eosSession =
    (more: object): Answering =>
    (request, response, body) => {
      const session = {
        attributes: { ADDRESSBOUND_s: `0.0.0.0:${PORT}`, CUSTOMSERVERNAME_s: 'Named' },
        ...more,
      };
      const token = { access_token: 'token', expires_in: 3600 };
      json(request.url?.startsWith('/auth/') ? token : { sessions: [session] })(request, response, body);
    };

  const uncounted: [string, Answering][] = [
    ['altvmp', json([{ address: `${AT}:${PORT}`, name: 'Named' }])],
    ['asa', eosSession({})],
    ['beammp', json([{ ip: AT, port: PORT, sname: 'Named', players: '', maxplayers: null }])],
    ['discord', json({ name: 'Named' })],
    ['geneshift', (_, response) => response.end(`DE::Germany::${AT}::${PORT}::Named::::::::`)],
    ['hawakening', hawakeningList({ Guid: 'guid-0', ServerName: 'Named' })],
    ['minetest', json({ list: [{ address: AT, port: PORT, name: 'Named' }] })],
    ['ragemp', json([{ id: 'a', servers: [{ id: `${AT}:${PORT}`, name: 'Named' }] }])],
    ['renegadex', json([{ IP: AT, Port: PORT, Name: 'Named' }])],
    ['scpsl', account({ Info: info })],
    ['vintagestory', json({ data: [{ serverIP: `${AT}:${PORT}`, serverName: 'Named' }] })],
  ];
  for (const [protocol, answering] of uncounted) {
    test(`without player counts gives an online server with unknown player counts: ${protocol}`, async () => {
      const { answer, ask, close } = opened(protocol);
      answer(answering);
      const found = await ask();
      assert.ok(found.kind === 'online', JSON.stringify(found));
      const { name, players, maxplayers, version } = found.status;
      assert.deepEqual([name, players, maxplayers, version ?? ''], ['Named', undefined, undefined, '']);
      close();
    });
  }

  test('of BROKE PROTOCOL without a sample of the player count gives only the maximum of players', async () => {
    const { answer, ask, close } = opened('brokeprotocol');
    answer(json({ servers: [brokeServer] }));
    const found = await ask();
    assert.ok(found.kind === 'online');
    assert.deepEqual([found.status.players, found.status.maxplayers], [undefined, 50]);
    close();
  });

  const bare: [string, Answering][] = [
    ['altvmp', json([{ address: `${AT}:${PORT}` }])],
    ['beammp', json([{ ip: AT, port: PORT }])],
    ['renegadex', json([{ IP: AT, Port: PORT }])],
    ['scpsl', account({})],
  ];
  for (const [protocol, answering] of bare) {
    test(`with neither a name nor player counts gives \`directory-unavailable\`: ${protocol}`, async () => {
      const { answer, ask, close } = opened(protocol);
      answer(answering);
      assert.equal((await ask()).kind, 'directory-unavailable');
      close();
    });
  }

  const many: [string, Answering][] = [
    ['asa', eosSession({ totalPlayers: 'many' })],
    ['beammp', json([{ ip: AT, port: PORT, sname: 'Named', players: 'many', maxplayers: '8' }])],
    ['scpsl', account({ Info: info, Players: 'many/20' })],
  ];
  for (const [protocol, answering] of many) {
    test(`with a player count that is not a number gives \`directory-unavailable\`: ${protocol}`, async () => {
      const { answer, ask, close } = opened(protocol);
      answer(answering);
      assert.equal((await ask()).kind, 'directory-unavailable');
      close();
    });
  }
});

describe('a directory whose owner objects to requests', () => {
  test('receives no requests if the operator did not opt in', async () => {
    fake.answering.set('masterserver.vintagestory.at', game('vintagestory').answers(1));
    fake.seen.length = 0;
    const { client, close } = openClient(fake, { optIn: ['beammp'] });
    const answer = await client.ask(questionAbout(game('vintagestory')));
    assert.equal(answer.kind, 'directory-refused');
    assert.match(
      answer.kind === 'directory-refused' ? answer.detail : '',
      /GSQ_DIRECTORY_OPT_IN=vintagestory/,
    );
    assert.equal(fake.seen.length, 0);
    close();
  });
});

describe('credentials, options and errors of directories', () => {
  const lacking: [string, Partial<DirectoryQuestion>, string][] = [
    ['discord', { options: new Map() }, 'needs-option'],
    ['discord', { options: new Map([['guild', '../users/1']]) }, 'needs-option'],
    ['scpsl', { options: new Map() }, 'needs-option'],
    ['scpsl', { secret: '' }, 'needs-credentials'],
    ['hawakening', { options: new Map([['username', 'operator']]) }, 'needs-option'],
    ['hawakening', { secret: '' }, 'needs-credentials'],
  ];
  for (const [protocol, more, kind] of lacking) {
    test(`a look-up gives \`${kind}\` without a request if a value is missing or not valid: ${protocol}`, async () => {
      const { ask, close } = opened(protocol);
      assert.equal((await ask(more)).kind, kind);
      assert.equal(fake.seen.length, 0);
      close();
    });
  }

  test('Discord: an unknown guild or a guild without a widget does not start a pause of requests to Discord', async () => {
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
    test(`a 404 from a proxy or a moved API gives \`directory-unavailable\`, not \`not-listed\`: ${protocol}`, async () => {
      for (const answering of foreign404s) {
        const { answer, ask, close } = opened(protocol);
        answer(answering);
        assert.equal((await ask()).kind, 'directory-unavailable');
        close();
      }
    });
  }

  test('Hawakening: a log-in of an unknown user gives `needs-credentials`', async () => {
    const { answer, ask, close } = opened('hawakening');
    answer(status(404, {}, '{"Status":404,"Message":"User not found"}'));
    assert.equal((await ask()).kind, 'needs-credentials');
    close();
  });

  test('SCP: Secret Laboratory: a refused API key is not tried again for ten minutes', async () => {
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

  test('SCP: Secret Laboratory: the API key and parts of it are removed from a reported error', async () => {
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

  test('SCP: Secret Laboratory: one request fetches all servers of an account, and each is found by its id', async () => {
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

  test('SCP: Secret Laboratory: a reply without a server list gives `directory-unavailable`', async () => {
    const { answer, ask, close } = opened('scpsl');
    for (const Servers of [undefined, null, 'none']) {
      answer(json({ Success: true, Servers }));
      assert.equal((await ask()).kind, 'directory-unavailable');
    }
    answer(json({ Success: true, Servers: [] }));
    assert.equal((await ask()).kind, 'not-listed');
    close();
  });

  test('Hawakening: a refused password is not tried again for an hour', async () => {
    const { clock, answer, ask, close, about } = opened('hawakening');
    answer(json({ Status: 401, Message: 'Access Grant Not Issued: Incorrect password' }));
    assert.equal((await ask()).kind, 'needs-credentials');
    answer(about.answers(1));
    clock.now += 59 * MINUTE_MS;
    assert.equal((await ask()).kind, 'needs-credentials');
    assert.equal(fake.seen.length, 1);
    clock.now += MINUTE_MS;
    assert.equal((await ask()).kind, 'online');
    close();
  });

  /**
   * Answers like the Hawakening directory, but refuses lists to the token `bad`. The user `ann` gets this token when
   * she logs in.
   */
  function refusing(whole: Answering): Answering {
    return (request, response, body) => {
      const { authorization } = request.headers;
      if (request.url?.includes('/users/ann/')) json({ Status: 200, Result: 'bad' })(request, response, body);
      else if (authorization === 'Basic bad') response.writeHead(401).end();
      else whole(request, response, body);
    };
  }
  const withToken = (secret: string) => ({ secret, options: new Map([['server_id', 'guid-0']]) });

  test('Hawakening: look-ups of one account work while the directory refuses another account', async () => {
    const { clock, answer, ask, close, about } = opened('hawakening');
    answer(refusing(about.answers(1)));
    const kinds = async () => {
      const asked = [ask(withToken('bad')), ask(withToken('good')), ask(withToken('bad')), ask()];
      return (await Promise.all(asked)).map(({ kind }) => kind);
    };
    assert.deepEqual(await kinds(), ['needs-credentials', 'online', 'needs-credentials', 'online']);
    clock.now += WINDOW_MS;
    assert.deepEqual(await kinds(), ['needs-credentials', 'online', 'needs-credentials', 'online']);
    const tried = fake.seen.filter(({ headers }) => headers.authorization === 'Basic bad');
    assert.equal(tried.length, 1, 'a refusal is remembered');
    close();
  });

  test('Hawakening: if an old token and then a new token are refused, no token is fetched for an hour', async () => {
    const { clock, answer, ask, close, about } = opened('hawakening');
    const ann = new Map([
      ['server_id', 'guid-0'],
      ['username', 'ann'],
    ]);
    assert.equal((await ask({ options: ann })).kind, 'online');
    answer((request, response, body) => {
      if (request.method === 'GET') response.writeHead(401).end();
      else about.answers(1)(request, response, body);
    });
    fake.seen.length = 0;
    for (let passed = WINDOW_MS; passed < 60 * MINUTE_MS; passed += WINDOW_MS) {
      clock.now += WINDOW_MS;
      assert.equal((await ask({ options: ann })).kind, 'needs-credentials');
    }
    assert.deepEqual(
      fake.seen.map(({ method }) => method),
      ['GET', 'POST', 'GET'],
    );
    close();
  });

  test('Hawakening: the user name "ann" with password "b c" is not the account "ann b" with password "c"', async () => {
    const { answer, ask, close, about } = opened('hawakening');
    answer(refusing(about.answers(1)));
    const named = (username: string, secret: string) =>
      ask({
        secret,
        options: new Map([
          ['server_id', 'guid-0'],
          ['username', username],
        ]),
      });
    assert.equal((await named('ann', 'b c')).kind, 'needs-credentials');
    assert.equal((await named('ann b', 'c')).kind, 'online');
    close();
  });

  test('Hawakening: a token that the operator set is used directly, and an expired token is replaced', async () => {
    const { clock, answer, ask, close, about } = opened('hawakening');
    const options = new Map([['server_id', 'guid-0']]);
    assert.equal((await ask({ options, secret: 'given' })).kind, 'online');
    assert.deepEqual(
      fake.seen.splice(0).map(({ headers }) => headers.authorization),
      ['Basic given'],
    );
    clock.now += WINDOW_MS;
    assert.equal((await ask()).kind, 'online');
    clock.now += WINDOW_MS;
    const whole = about.answers(1);
    let refusals = 1;
    answer((request, response, body) => {
      if (request.method === 'GET' && refusals-- > 0) response.writeHead(401).end();
      else whole(request, response, body);
    });
    fake.seen.length = 0;
    assert.equal((await ask()).kind, 'online');
    assert.deepEqual(
      fake.seen.map(({ method }) => method),
      ['GET', 'POST', 'GET'],
    );
    close();
  });
});

describe('directory look-ups', () => {
  test('that fail at the same time start a single pause, which is reported once', async () => {
    for (const [answering, ms] of [
      [status(500), WINDOW_MS],
      [status(429, { 'retry-after': '300' }), 5 * MINUTE_MS],
      [status(403), 24 * 60 * MINUTE_MS],
    ] as const) {
      const { answer, ask, pauses, close } = opened('factorio');
      answer(answering);
      await Promise.all(Array.from({ length: 10 }, (_, i) => ask({}, i)));
      assert.deepEqual(
        pauses().map(pause => pause.ms),
        [ms],
      );
      close();
    }
  });

  test('are not paused if look-ups of other servers get unexpected replies', async () => {
    for (const answering of [status(400), status(200, {}, 'what?')]) {
      const { about, answer, ask, pauses, close } = opened('factorio');
      answer(answering);
      for (let i = 0; i < 5; i++) assert.equal((await ask({}, i)).kind, 'directory-unavailable');
      answer(about.answers(1));
      assert.equal((await ask({}, 9)).kind, 'online');
      assert.deepEqual(pauses(), []);
      close();
    }
  });

  test('reuse a result for half a minute, and then send its ETag to learn whether it has changed', async () => {
    const { clock, about, answer, ask, close, notes } = opened('discord');
    const whole = about.answers(1);
    answer((request, response, body) => {
      if (request.headers['if-none-match'] === '"one"') response.writeHead(304).end();
      else whole(request, response.setHeader('etag', '"one"'), body);
    });
    const start = clock.now;
    for (const passed of [0, 29_999, 30_000, 60_000]) {
      clock.now = start + passed;
      assert.equal((await ask()).kind, 'online');
    }
    const results = notes.map(note => note.kind === 'request' && note.result);
    assert.deepEqual(results, ['ok', 'unchanged', 'unchanged']);
    close();
  });
});

test('a directory client observes a pause that an earlier client started', async () => {
  const { pauses, ask, answer, close } = opened('altvmp');
  answer(status(403));
  await ask();
  const [pause] = pauses();
  assert.ok(pause);
  answer(game('altvmp').answers(1));
  const next = openClient(fake, { pauses: [{ ...pause, ms: 5_000 }] });
  assert.equal((await next.client.ask(questionAbout(game('altvmp')))).kind, 'directory-refused');
  next.clock.now += 5_000;
  assert.equal((await next.client.ask(questionAbout(game('altvmp')))).kind, 'online');
  next.close();
  close();
});

test('a look-up for a game without a directory gives a local fault', async () => {
  const { client, close } = openClient(fake);
  assert.equal((await client.ask({ ...questionAbout(game('altvmp')), protocol: 'a2s' })).kind, 'fault');
  close();
});
