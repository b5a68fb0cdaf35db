import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { ServiceError, toGrpcStatus } from '../../../proto/service-error.ts';
import { sendEvent } from '../scripted-json.ts';
import { PATH, snapshot, withEvents } from './gateway-with-events.ts';
import { halfClosed } from './open-events.ts';

describe('a stream of events', () => {
  const { core, gateway } = withEvents();

  it('is cancelled in the core when the caller closes the connection, or closes only its sending half', async () => {
    for (const end of ['destroy', 'end'] as const) {
      core.json.calls.length = 0;
      const [host = '', port = ''] = gateway.http.split(':');
      const socket = connect(Number(port), host);
      socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await once(socket, 'data');
      socket[end]();
      await core.until(() => core.json.calls[0]?.cancelled === true);
      socket.destroy();
    }
  });

  it('is refused with the error of the core, even if the caller closes its sending half right after the request', {
    timeout: 20_000,
  }, async () => {
    for (const [code, head] of [
      ['RATE_1', 'HTTP/1.1 429 '],
      ['AUTH_3', 'HTTP/1.1 401 '],
    ] as const) {
      const client = halfClosed(gateway.http, PATH);
      core.json.onEvents = async stream => {
        await client.isEndReceived;
        stream.emit('error', toGrpcStatus(new ServiceError(code, 'refused')));
      };
      const text = await client.text;
      assert.ok(text.startsWith(head), text.slice(0, 100));
    }
  });

  it('ends at once, and is cancelled in the core, if the caller closes its sending half before the core accepts the stream', {
    timeout: 20_000,
  }, async () => {
    const client = halfClosed(gateway.http, PATH);
    core.json.onEvents = async stream => {
      await client.isEndReceived;
      void sendEvent(stream, 'snapshot', 't-1', snapshot);
    };
    assert.match(await client.text, /^HTTP\/1\.1 200 .*\r\n\r\n.*retry:\d{4}\n\n/s);
    await core.until(() => core.json.calls[0]?.cancelled === true);
  });

  it('is cancelled in the core at once if the caller closes the connection before the core accepts the stream', async () => {
    core.json.onEvents = () => {};
    const [host = '', port = ''] = gateway.http.split(':');
    const socket = connect(Number(port), host);
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await core.until(() => core.json.calls.length === 1);
    socket.resetAndDestroy();
    await core.until(() => core.json.calls[0]?.cancelled === true);
  });

  it('makes the core wait while the caller does not read, and then sends every event', async () => {
    const data = 'x'.repeat(32 * 1024);
    let sent = 0;
    let blocked: () => void = () => {};
    const isBlocked = new Promise<void>(resolve => {
      blocked = resolve;
    });
    const MOST = 4_000;
    core.json.onEvents = async stream => {
      for (; sent < MOST && !stream.cancelled; sent++) {
        const timer = setTimeout(blocked, 500);
        await sendEvent(stream, 'change', `t-${sent}`, data);
        clearTimeout(timer);
      }
    };
    const [host = '', port = ''] = gateway.http.split(':');
    const socket = connect(Number(port), host);
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(socket, 'readable');
    await isBlocked;
    assert.ok(sent < MOST, `the core has sent ${sent} events`);
    const atStop = sent;
    let text = '';
    socket.setEncoding('latin1').on('data', chunk => {
      text += String(chunk);
      if (text.includes(`id:t-${atStop + 10}\n`)) socket.destroy();
    });
    await once(socket, 'close');
    const ids = [...text.matchAll(/^id:t-(\d+)$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      Array.from(ids, (_, i) => i),
    );
  });
});
