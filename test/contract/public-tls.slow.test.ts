import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { TLSSocket } from 'node:tls';
import { credentials, Metadata } from '@grpc/grpc-js';
import { type ChannelSecurity, clients, credentialKeys } from '../../proto/clients.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';

const authority = new Authority(scratchDirectory());
const rest = authority.issue('rest', ['127.0.0.1']);
const grpc = authority.issue('grpc', ['127.0.0.1', 'localhost']);
const env = {
  GSQ_HTTP_TLS_CERT: rest.certificate,
  GSQ_HTTP_TLS_KEY: rest.key,
  GSQ_GRPC_TLS_CERT: grpc.certificate,
  GSQ_GRPC_TLS_KEY: grpc.key,
  GSQ_LOG_LEVEL: 'info',
};
const ca = readFileSync(authority.path);

/** Sends requests one after another until `stop` is called. If a request fails, `stop` rejects. */
class Caller {
  calls = 0;
  #stopped = false;
  readonly #done: Promise<void>;

  constructor(call: () => Promise<void>) {
    this.#done = this.#run(call);
    // If a request fails, `#done` rejects, and `stop` reports the error later. Without this line, Node would report an
    // unhandled rejection before `stop` is called.
    this.#done.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #run(call: () => Promise<void>): Promise<void> {
    for (; !this.#stopped; this.calls++) await call();
  }
}

describe('TLS on the public ports', () => {
  let game: A2sServer;
  let stack: Stack;

  before(async () => {
    game = await A2sServer.start();
    stack = await Stack.start({ env });
  });
  after(async () => {
    game.stop();
    await stack.stop();
  });

  const body = () => JSON.stringify({ servers: [{ game_id: 'rust', servers: [game.address] }] });

  /**
   * Sends a fetch to the REST gateway. Resolves to the SHA-256 fingerprint of the TLS certificate of the gateway; empty
   * without TLS.
   */
  function fetchByRest(agent: Agent): Promise<string> {
    const [host, port] = stack.http.split(':');
    const headers = {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      [credentialKeys.token]: bootstrap.token,
      [credentialKeys.tier]: bootstrap.tier,
      [credentialKeys.email]: bootstrap.email,
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { host, port, path: '/v1/post/fetch', method: 'POST', agent, headers },
        response => {
          const { socket } = response;
          const shown =
            socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.fingerprint256 : undefined;
          let text = '';
          response.setEncoding('utf8').on('data', piece => {
            text += piece;
          });
          response.on('error', reject).on('end', () => {
            if (response.statusCode === 200 && text.includes('"_meta"')) resolve(shown ?? '');
            else reject(new Error(`${response.statusCode} ${text}`));
          });
        },
      );
      sent.on('error', reject).end(body());
    });
  }

  const secure = (): ChannelSecurity => ({
    credentials: credentials.createSsl(ca),
    options: { 'grpc.use_local_subchannel_pool': 1, 'grpc.enable_retries': 0 },
  });

  async function fetchByGrpc(client: ReturnType<typeof clients.server>): Promise<void> {
    const metadata = new Metadata();
    metadata.set(credentialKeys.token, bootstrap.token);
    metadata.set(credentialKeys.tier, bootstrap.tier);
    metadata.set(credentialKeys.email, bootstrap.email);
    const asked = { servers: [{ gameId: 'rust', servers: [game.address] }] };
    const deadline = { deadline: Date.now() + 10_000 };
    const { results } = await unary<FetchServersResponse__Output>(done =>
      client.fetchServers(asked, metadata, deadline, done),
    );
    assert.equal(results[0]?.server, game.address);
  }

  async function fetchByNewConnection(): Promise<void> {
    const client = clients.server(stack.grpc, secure());
    try {
      await fetchByGrpc(client);
    } finally {
      client.close();
    }
  }

  const untilLogged = (name: 'core' | 'gateway', pattern: RegExp) =>
    until(
      `a log line of the ${name}`,
      () => stack.process(name).child.output,
      text => pattern.test(text),
    );

  it('no request fails while certificate files are replaced, even if a new key does not match the certificate', async () => {
    const kept = new Agent({ ca, keepAlive: true });
    const single = new Agent({ ca, keepAlive: false, maxCachedSessions: 0 });
    const seen = new Set<string>();
    const client = clients.server(stack.grpc, secure());
    const callers = [
      new Caller(async () => void seen.add(await fetchByRest(single))),
      new Caller(async () => void (await fetchByRest(kept))),
      new Caller(fetchByNewConnection),
      new Caller(() => fetchByGrpc(client)),
    ];
    try {
      await until(
        'the first certificate',
        () => seen.size,
        count => count === 1,
      );
      const key = readFileSync(rest.key);
      writeFileSync(rest.key, readFileSync(grpc.key));
      await untilLogged(
        'gateway',
        /"msg":"the REST port cannot use the new TLS files and keeps the previous ones/,
      );
      writeFileSync(rest.key, key);
      await untilLogged('gateway', /"msg":"the REST port uses the new TLS files"/);
      assert.equal(seen.size, 1);
      authority.issue('rest', ['127.0.0.1']);
      authority.issue('grpc', ['127.0.0.1', 'localhost']);
      await until(
        'the second certificate',
        () => seen.size,
        count => count === 2,
      );
      await untilLogged('core', /"msg":"the public gRPC port uses the new TLS files"/);
      const made = callers.map(({ calls }) => calls);
      await until(
        'further calls of each caller',
        () => callers.every(({ calls }, i) => calls >= (made[i] ?? 0) + 10),
        Boolean,
      );
    } finally {
      for (const caller of callers) await caller.stop();
      client.close();
      kept.destroy();
      single.destroy();
    }
  });

  for (const [name, settings, message] of [
    [
      'gateway',
      { GSQ_HTTP_TLS_CERT: rest.certificate },
      'GSQ_HTTP_TLS_CERT: is set without GSQ_HTTP_TLS_KEY',
    ],
    ['core', { GSQ_GRPC_TLS_KEY: grpc.key }, 'GSQ_GRPC_TLS_KEY: is set without GSQ_GRPC_TLS_CERT'],
  ] as const) {
    it(`the ${name} exits with status 3 and prints "${message}" if only one TLS file is set`, async () => {
      const start = ServiceProcess.start(name, { ...stackDefaults, ...settings });
      await assert.rejects(start, (error: Error) => {
        assert.match(error.message, /ended with 3:\n/);
        assert.ok(error.message.includes(`gsq: ${message}`), error.message);
        return true;
      });
    });
  }
});
