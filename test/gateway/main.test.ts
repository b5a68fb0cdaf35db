import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { typescript } from '../../runtime/script.ts';
import { ask } from './ask.ts';

const main = new URL('../../gateway/main.ts', import.meta.url);

function start(env: Record<string, string>): ChildProcess {
  return fork(main, {
    execArgv: ['--import', typescript],
    env: { PATH: process.env.PATH, ...env },
    silent: true,
  });
}

test('the gateway process reports its addresses, answers requests, and exits with status 0 on SIGTERM', async () => {
  const child = start({
    GSQ_HTTP_ADDR: '127.0.0.1:0',
    GSQ_GATEWAY_OPS_ADDR: '127.0.0.1:0',
    GSQ_INTERNAL_ADDR: '127.0.0.1:1',
    GSQ_INTERNAL_SECRET: 'between the two of us',
  });
  const [ready]: [ReadyMessage] = (await once(child, 'message')) as [ReadyMessage];
  assert.equal(ready.type, 'ready');
  assert.deepEqual(Object.keys(ready.addresses).sort(), ['GSQ_GATEWAY_OPS_ADDR', 'GSQ_HTTP_ADDR']);
  const answer = await ask(ready.addresses.GSQ_HTTP_ADDR ?? '', { path: '/nowhere' });
  assert.equal(answer.json.error, 'ROUTE_1');
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('the gateway process exits with status 3 and prints the name of the setting if a setting is unknown', async () => {
  const child = start({ GSQ_HTPP_ADDR: '127.0.0.1:0' });
  const said: Buffer[] = [];
  child.stderr?.on('data', chunk => said.push(chunk));
  assert.deepEqual(await once(child, 'close'), [3, null]);
  assert.match(Buffer.concat(said).toString(), /GSQ_HTPP_ADDR: there is no such setting/);
});
