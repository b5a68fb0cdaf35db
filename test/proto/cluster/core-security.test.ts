import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { clients, insecure } from '../../../proto/clients.ts';
import { coreSecurity } from '../../../proto/cluster/core-security.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { Authority } from '../../system/certificates.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

test('a client trusts a core only if the core’s certificate contains the host of this core or the host name shared by all cores', async t => {
  const authority = new Authority(scratchDirectory());
  const identity = (name: string, hosts: string[]) => {
    const { certificate, key } = authority.issue(name, hosts);
    return {
      certificate: readFileSync(certificate),
      key: readFileSync(key),
      authority: readFileSync(authority.path),
    };
  };
  const startCore = async (hosts: string[]): Promise<string> => {
    const server = new Server();
    server.addService(gsqV1.GameService.service, {
      ListGames: (_call: unknown, answer: (error: null, reply: object) => void) => answer(null, {}),
    });
    const { certificate, key, authority: root } = identity('core', hosts);
    const secure = ServerCredentials.createSsl(root, [{ cert_chain: certificate, private_key: key }], true);
    t.after(() => server.forceShutdown());
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', secure, (error, found) => (error ? reject(error) : resolve(found)));
    });
    return `127.0.0.1:${port}`;
  };
  const security = coreSecurity({ host: 'cores.example', tls: identity('gateway', ['gateway.example']) });
  const canCall = (address: string): Promise<boolean> => {
    const client = clients.game(address, security(address));
    t.after(() => client.close());
    return new Promise(resolve => client.listGames({}, error => resolve(!error)));
  };
  assert.equal(await canCall(await startCore(['127.0.0.1'])), true);
  assert.equal(await canCall(await startCore(['cores.example'])), true);
  assert.equal(await canCall(await startCore(['other.example'])), false);
  assert.equal(security('127.0.0.1:1'), security('127.0.0.1:1'));
});

test('a process that has no certificate of its own connects to cores without encryption', () => {
  assert.equal(coreSecurity({ host: '127.0.0.1', tls: undefined })('127.0.0.1:1'), insecure);
});
