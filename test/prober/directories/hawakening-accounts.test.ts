import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WINDOW_MS } from '../../../prober/directories/request-rate-limit.ts';
import { type Answering, FakeDirectories, json, status } from './fake-directories.ts';
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

describe('a look-up in the directory (online server list) of Hawakening', () => {
  test('gives `needs-credentials` if the user is unknown', async () => {
    const { answer, ask, close } = opened('hawakening');
    answer(status(404, {}, '{"Status":404,"Message":"User not found"}'));
    assert.equal((await ask()).kind, 'needs-credentials');
    close();
  });

  test('does not send a refused password again for an hour', async () => {
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
   * Answers like the public server list of Hawakening, but refuses requests with the token `bad`. The user `ann` gets
   * this token when she logs in.
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

  test('works with one account while the directory refuses a different account', async () => {
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

  test('requests no other token for an hour if the directory refuses a new token', async () => {
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

  test('does not confuse the user `ann` with password `b c` and the user `ann b` with password `c`', async () => {
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

  test('uses the token that the operator set, and replaces an expired token', async () => {
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
