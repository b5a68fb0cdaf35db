import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { confineConnections } from '../../../prober/gamedig/confine.ts';
import { TargetPolicy } from '../../../proto/targets.ts';
import type { Resolution } from '../../../runtime/resolver.ts';

const NAME = 'directory.example';

describe('a directory', () => {
  const unconfined = Socket.prototype.connect;
  const listener = createServer(socket => {
    heard++;
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nlist');
  });
  const ports = new Set<number>();
  let port = 0;
  let heard = 0;
  let asked: string[] = [];
  let resolution: Resolution;
  let policy = new TargetPolicy([]);

  before(async () => {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    ({ port } = listener.address() as AddressInfo);
    ports.add(port);
    confineConnections({
      vetted: () => false,
      allows: ip => policy.allows(ip),
      resolve: async name => {
        asked.push(name);
        return resolution;
      },
      directories: { names: new Set([NAME]), ports },
    });
  });
  beforeEach(() => {
    heard = 0;
    asked = [];
  });
  after(() => {
    Socket.prototype.connect = unconfined;
    listener.close();
  });

  /** The body of an answer, by what gamedig uses beneath it all. */
  function fetched(host: string, family?: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get({ host, port, agent: false, ...(family && { family }) }, response => {
        let body = '';
        response.setEncoding('utf8').on('data', text => {
          body += text;
        });
        response.on('end', () => resolve(body));
      });
      request.on('error', reject);
    });
  }

  const refused = (name: string) => ({
    message: `may not connect to ${name}: it has no address that may be connected to`,
  });
  const inward = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1'];
  for (const ip of inward) {
    test(`whose name leads to ${ip} is not connected to`, async () => {
      policy = new TargetPolicy([]);
      resolution = { kind: 'addresses', addresses: [ip] };
      await assert.rejects(fetched(NAME), refused(NAME));
      const sockets = [connect(port, NAME), connect({ host: NAME, port }), connectTls(port, NAME)];
      for (const [error] of await Promise.all(sockets.map(socket => once(socket, 'error')))) {
        assert.equal(error.message, refused(NAME).message);
      }
      assert.deepEqual(asked, Array(4).fill(NAME));
      assert.equal(heard, 0);
    });
  }

  test('is connected to where the operator opened it, at the address that was judged, looked up once', async () => {
    policy = new TargetPolicy(['127.0.0.0/8']);
    resolution = { kind: 'addresses', addresses: ['10.0.0.1', '169.254.169.254', '127.0.0.1'] };
    assert.equal(await fetched(NAME), 'list');
    assert.equal(await fetched(NAME, 4), 'list');
    await assert.rejects(fetched(NAME, 6), refused(NAME));
    assert.deepEqual(asked, [NAME, NAME, NAME]);
    const socket = connect(port, NAME, () => asked.push('connected'));
    await once(socket.resume(), 'close');
    assert.equal(asked.at(-1), 'connected');
    assert.equal(heard, 3);
  });

  test('is not connected to where the operator denied it, or it is this machine', async () => {
    resolution = { kind: 'addresses', addresses: ['127.0.0.1'] };
    policy = new TargetPolicy(['127.0.0.0/8'], { denied: ['127.0.0.1'] });
    await assert.rejects(fetched(NAME), refused(NAME));
    resolution = { kind: 'addresses', addresses: ['1.2.3.4'] };
    policy = new TargetPolicy([], { interfaces: ['1.2.3.4'] });
    await assert.rejects(fetched(NAME), refused(NAME));
    assert.equal(heard, 0);
  });

  test('without an address says why', async () => {
    resolution = { kind: 'absent' };
    await assert.rejects(fetched(NAME), {
      message: /^may not connect to \S+: no address was found: it has none$/,
    });
    resolution = { kind: 'failed', reason: 'ETIMEOUT' };
    await assert.rejects(fetched(NAME), {
      message: /^may not connect to \S+: no address was found: ETIMEOUT$/,
    });
  });

  test('is none by another name, at another port or as an address, and is not looked up', async () => {
    policy = new TargetPolicy(['127.0.0.0/8']);
    resolution = { kind: 'addresses', addresses: ['127.0.0.1'] };
    for (const host of ['other.example', `a.${NAME}`, '127.0.0.1', 'localhost']) {
      assert.throws(() => connect(port, host), { message: `may not connect to ${host}, port ${port}` });
    }
    ports.delete(port);
    assert.throws(() => connect(port, NAME), /may not connect/);
    ports.add(port);
    assert.deepEqual([asked, heard], [[], 0]);
  });
});
