import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { jsonLines } from '../../../gateway/events/event-format.ts';
import { EventStream } from '../../../gateway/events/event-stream.ts';
import { fromGrpcStatus, ServiceError, toGrpcStatus } from '../../../proto/service-error.ts';
import { slowReader } from '../../../proto/streams/slow-reader.ts';

/** One stream of events that the gateway opened at a fake core. */
interface CoreStream {
  /** Id of the last event that the gateway received. The gateway asks the core to continue after this event. */
  resumeToken: string;
  /** Sends an event to the gateway as soon as the client has taken the previous events. */
  send(event: string, id: string, data: unknown): Promise<void>;
  /** Ends the event stream of the fake core with the given error. */
  fail(error: ServiceError): void;
}

/**
 * Serves one event stream to a client. The test plays the core, and can make a stream from the core fail. If no new
 * stream from the core then delivers an event with an id within `absenceMs` ms, the gateway ends the client's stream.
 * `nextStream` waits until the gateway opens the next stream from the core.
 */
async function served(t: TestContext, absenceMs = 60_000) {
  const opened = new EventEmitter();
  let response: ServerResponse | undefined;
  const server = createServer(async (_request, answer) => {
    response = answer;
    const stream = new EventStream(
      {
        open(resumeToken, _isRepeated, ready) {
          const call = Object.assign(new EventEmitter(), { cancel: () => {} });
          const send = async (event: string, id: string, data: unknown): Promise<void> => {
            await ready();
            call.emit('data', Buffer.from(`${JSON.stringify({ event, id, data })}\n`));
          };
          const fail = (error: ServiceError): void => void call.emit('status', toGrpcStatus(error));
          opened.emit('stream', { resumeToken, send, fail } satisfies CoreStream);
          return call as unknown as ClientReadableStream<Buffer>;
        },
        lineIn: message => message,
        translateError: ended => fromGrpcStatus(ended) ?? new ServiceError('CORE_1', 'the core is away'),
      },
      jsonLines,
      { acceptMs: 0, absenceMs },
      '',
    );
    await stream.open();
    answer.writeHead(200);
    stream.startWriting(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const nextStream = async (): Promise<CoreStream> => (await once(opened, 'stream'))[0];
  const { port } = server.address() as AddressInfo;
  const first = nextStream();
  const client = get({ host: '127.0.0.1', port, agent: false });
  client.on('error', () => {});
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  assert.ok(response);
  return { incoming, response, first: await first, nextStream };
}

test('an event stream removes its listeners after each wait for a slow client', async t => {
  const { incoming, response, first } = await served(t);
  incoming.resume();
  const data = 'x'.repeat(64 * 1024);
  const listeners = { close: response.listenerCount('close'), drain: response.listenerCount('drain') };
  let waits = 0;
  for (let n = 0; waits < 20; n++) {
    await first.send('change', `t-${n}`, data);
    if (response.writableNeedDrain) waits++;
  }
  // `send` resolves only when the gateway no longer waits for the slow client. By then, the gateway must have removed
  // the listeners that it added to the response for the wait.
  await first.send('heartbeat', 't', {});
  assert.deepEqual(
    { close: response.listenerCount('close'), drain: response.listenerCount('drain') },
    listeners,
  );
});

test('if the core ends its stream to the gateway because a client reads too slowly, the gateway ends the event stream of this client', async t => {
  const { incoming, first, nextStream } = await served(t);
  await first.send('change', 't-1', null);
  incoming.resume();
  const next = nextStream().then(() => assert.fail('the gateway has opened the stream again'));
  first.fail(new ServiceError('CORE_1', 'too slow', { retryAfterSeconds: 1, facts: slowReader }));
  await Promise.race([once(incoming, 'end'), next]);
});

test('the gateway ends the event stream of a client after a time limit if no stream from the core sends a whole snapshot (the current state)', async t => {
  const { incoming, first, nextStream } = await served(t, 300);
  incoming.resume();
  let isOver = false;
  const over = once(incoming, 'end').then(() => {
    isOver = true;
  });
  let stream = first;
  for (let opened = 1; !isOver; opened++) {
    assert.ok(opened < 50, 'the snapshot began again without end');
    await stream.send('snapshot', '', { servers: [], more: true });
    const next = nextStream();
    stream.fail(new ServiceError('CORE_1', 'the core is away'));
    await Promise.race([next, over]);
    if (!isOver) stream = await next;
    assert.equal(stream.resumeToken, '');
  }
});

test('the event stream of a client continues even if the stream from the core fails eight times', async t => {
  const { incoming, first, nextStream } = await served(t, 300);
  incoming.resume();
  let stream = first;
  for (let n = 1; n <= 8; n++) {
    await stream.send('change', `t-${n}`, null);
    const next = nextStream();
    stream.fail(new ServiceError('CORE_1', 'the core is away'));
    stream = await next;
    assert.equal(stream.resumeToken, `t-${n}`);
  }
});

test('if an event stream ends before its response is written, an event that waits for the response does not wait forever', {
  timeout: 20_000,
}, async () => {
  let ready: () => Promise<void> = () => assert.fail('the gateway has opened no stream');
  const stream = new EventStream(
    {
      open(_resumeToken, _isRepeated, isReady) {
        ready = isReady;
        const call = Object.assign(new EventEmitter(), { cancel: () => {} });
        return call as unknown as ClientReadableStream<Buffer>;
      },
      lineIn: message => message,
      translateError: () => new ServiceError('CORE_1', 'the core is away'),
    },
    jsonLines,
    { acceptMs: 60_000, absenceMs: 60_000 },
    '',
  );
  const opened = stream.open();
  const taken = ready();
  await opened;
  stream.end();
  await taken;
});
