import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { ask } from '../gateway/ask.ts';
import { runGateway } from '../gateway/running-gateway.ts';
import { ScriptedCore } from '../gateway/scripted-core.ts';
import { needsOneCore } from '../system/one-core.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { oneServer } from './fetch-requests.ts';
import { assertError, postFetch } from './rest.ts';

describe('POST /v1/post/fetch during a core failure', { skip: needsOneCore('stoppedCore') }, () => {
  let stack: Stack;
  before(async () => {
    const env = { GSQ_REQUEST_TIMEOUT: '400ms' };
    stack = await Stack.start({ env, processes: ['core', 'gateway'] });
  });
  after(() => stack.stop());

  const games = () => ask(stack.http, { path: '/v1/get/games' });

  it('answers 504 CORE_2 while the core does not respond, and 200 after the core responds again', async () => {
    const { child } = stack.process('core');
    await until(
      'the first answer',
      () => postFetch(stack.http, oneServer),
      ({ status }) => status === 200,
    );
    child.signal('SIGSTOP');
    try {
      assertError(await postFetch(stack.http, oneServer), 504, 'CORE_2');
      assertError(await games(), 504, 'CORE_2');
    } finally {
      child.signal('SIGCONT');
    }
    await until(
      'an answer again',
      () => postFetch(stack.http, oneServer),
      ({ status }) => status === 200,
    );
  });

  it('answers 503 CORE_1 with Retry-After while the core is not running', async () => {
    const { child } = stack.process('core');
    child.signal('SIGKILL');
    await once(child.process, 'exit');
    for (const answer of [await postFetch(stack.http, oneServer), await games()]) {
      assertError(answer, 503, 'CORE_1');
      assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    }
  });

  it('answers 500 INTERNAL_1 if the core reports an internal error, and hides the text of this error', async () => {
    const core = new ScriptedCore();
    await core.start();
    const gateway = await runGateway(core.address);
    try {
      const secrets = 'Error: at /srv/core/secret.ts:1 for 10.1.2.3:6379';
      core.script = () => ({ error: { code: status.INTERNAL, message: secrets, details: [] } });
      const defect = await postFetch(gateway.http, oneServer);
      assertError(defect, 500, 'INTERNAL_1');
      assert.doesNotMatch(defect.text, /secret|10\.1\.2\.3/);
      // The core sends an invalid reply to the fetch: the reply contains neither server data nor an error.
      core.script = () => ({ checked: {} });
      assertError(await postFetch(gateway.http, oneServer), 500, 'INTERNAL_1');
    } finally {
      await gateway.running.drain();
      core.stop();
    }
  });
});
