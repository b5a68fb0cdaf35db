import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { credentials, Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { runGsq } from '../../cli/dispatch.ts';
import { interfaceAddresses } from '../../net/interface-addresses.ts';
import {
  type ChannelSecurity,
  clients,
  internalMetadata,
  mutualTls,
  operatorKeys,
} from '../../proto/clients.ts';
import type { GetStatsResponse__Output } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { piped } from '../cli/gsq-command.ts';
import { unary } from '../core/rpc/answer.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { ServiceProcess } from '../system/service-process.ts';
import { INTERNAL_SECRET, type ProcessName, stackDefaults } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { deadline, failure } from './grpc.ts';
import { fetchOne } from './rest.ts';

/**
 * Address on which the core listens: a non-loopback address of this machine, or 0.0.0.0 if there is none. Packets to
 * this address stay on the machine.
 */
const HOST =
  interfaceAddresses().find(address => isIPv4(address) && !address.startsWith('127.')) ?? '0.0.0.0';
/**
 * Address at which the other processes connect to the core: the address on which the core listens, or loopback if the
 * core listens on all interfaces.
 */
const DIALLED = HOST === '0.0.0.0' ? '127.0.0.1' : HOST;

const authority = new Authority(scratchDirectory());
const stranger = new Authority(scratchDirectory());
const identityOf = (settings: Record<string, string>) => ({
  certificate: readFileSync(settings.GSQ_INTERNAL_TLS_CERT ?? ''),
  key: readFileSync(settings.GSQ_INTERNAL_TLS_KEY ?? ''),
  authority: readFileSync(settings.GSQ_INTERNAL_TLS_CA ?? ''),
});
const visitor = identityOf(authority.settingsFor('visitor', ['visitor.example']));
const foreign = identityOf(stranger.settingsFor('foreign', [DIALLED]));

describe('with mutual TLS on the internal port', () => {
  const started: ServiceProcess[] = [];
  let game: A2sServer;
  let internal = '';
  let http = '';

  async function start(name: ProcessName, hosts: string[], env: Record<string, string>) {
    const process = await ServiceProcess.start(name, {
      ...stackDefaults,
      ...authority.settingsFor(name, hosts),
      ...env,
    });
    started.push(process);
    return process;
  }

  before(async () => {
    game = await A2sServer.start();
    const core = await start('core', [DIALLED], { GSQ_INTERNAL_ADDR: `${HOST}:0`, GSQ_PAGE: 'on' });
    internal = core.address('GSQ_INTERNAL_ADDR').replace(HOST, DIALLED);
    const reached = { GSQ_INTERNAL_ADDR: core.address('GSQ_INTERNAL_ADDR'), GSQ_PAGE: 'on' };
    // The host names in the certificates of gateway and prober are invented. The core does not check these names,
    // because both processes use their certificates only as clients.
    http = (await start('gateway', ['gateway.example'], reached)).address('GSQ_HTTP_ADDR');
    await start('prober', ['prober.example'], reached);
  });
  after(async () => {
    game.stop();
    for (const { child } of started.toReversed()) assert.equal(await child.stop(), 0, child.report);
  });

  /**
   * Calls the method GetStats of the core. `security`: client certificate of the call. `metadata`: its gRPC metadata.
   */
  async function stats(security: ChannelSecurity | undefined, metadata = internalMetadata(INTERNAL_SECRET)) {
    const client = clients.admin(internal, security);
    try {
      return await unary<GetStatsResponse__Output>(done => client.getStats({}, metadata, deadline(), done));
    } finally {
      client.close();
    }
  }

  it('the gateway answers a fetch, and the prober probes the fetched server', async () => {
    const look = () => fetchOne(http, 'rust', game.address);
    await until('the answer of the game server', look, ({ name }) => name === game.name);
    assert.ok(game.questions > 0);
    assert.equal((await stats(mutualTls(DIALLED, visitor))).probers, 1);
    for (const { child } of started) assert.doesNotMatch(child.output, /Warning/);
  });

  it('the gateway thread that builds web pages can read data from the core', async () => {
    const page = await fetch(`http://${http}/`, { headers: { Accept: 'text/html' } });
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Game servers/);
  });

  it('audit lines contain the operator name from the certificate, not the name from the request metadata', async () => {
    const metadata = internalMetadata(INTERNAL_SECRET);
    metadata.set(operatorKeys.user, 'somebody-else');
    const client = clients.admin(internal, mutualTls(DIALLED, visitor));
    await unary(done => client.removeServers({}, metadata, deadline(), done));
    client.close();
    await until(
      'the audit line',
      () => started[0]?.child.output ?? '',
      said => said.includes('"act":"RemoveServers","actor":"visitor","actor_proof":"certificate"'),
    );
  });

  it('a gsq command connects only with a certificate of the same authority as the core', async () => {
    const run = async (tls: Record<string, string>) => {
      let talk = '';
      const env = { GSQ_INTERNAL_ADDR: internal, GSQ_INTERNAL_SECRET: INTERNAL_SECRET, ...tls };
      const status = await runGsq(['servers', 'list'], {
        env,
        out: () => {},
        ...piped,
        talk: line => {
          talk += line;
        },
      });
      return { status, talk };
    };
    const ours = await run(authority.settingsFor('operator', ['operator.example']));
    assert.deepEqual(ours, { status: 0, talk: '' });
    assert.equal((await run(stranger.settingsFor('operator', ['operator.example']))).status, 5);
    const without = await run({});
    assert.equal(without.status, 3);
    assert.match(without.talk, /GSQ_INTERNAL_ADDR: .* is not loopback/);
  });

  const strangers: [what: string, security: () => ChannelSecurity | undefined, cause: string][] = [
    ['without TLS', () => undefined, 'wrong version number'],
    [
      'without a certificate',
      () => ({ ...mutualTls(DIALLED, visitor), credentials: bare() }),
      'peer did not return a certificate',
    ],
    [
      'with a certificate of another authority',
      () => mutualTls(DIALLED, { ...foreign, authority: visitor.authority }),
      'CERT_SIGNATURE_FAILURE',
    ],
  ];
  const bare = () =>
    credentials.createSsl(visitor.authority, null, null, { checkServerIdentity: () => undefined });
  for (const [what, security, cause] of strangers) {
    it(`the core refuses a connection ${what}, even if the peer has the right secret, and logs the cause`, async () => {
      await assert.rejects(stats(security()), { code: 14 });
      await until(
        'the line of the core',
        () => started[0]?.child.output ?? '',
        said => said.includes(`"cause":"${cause}","msg":"a TLS handshake on the internal port failed"`),
      );
    });
  }

  for (const [what, metadata] of [
    ['a wrong secret', internalMetadata(`${INTERNAL_SECRET}.`)],
    ['no secret', new Metadata()],
  ] as const) {
    it(`the core refuses a peer that has a valid certificate but sends ${what} (error AUTH_5)`, async () => {
      const { code, reason } = await failure(stats(mutualTls(DIALLED, visitor), metadata));
      assert.deepEqual([code, reason], ['UNAUTHENTICATED', 'AUTH_5']);
    });
  }

  it('the core refuses TLS versions older than 1.2', async () => {
    const [host = '', port] = internal.split(':');
    const shown = { cert: visitor.certificate, key: visitor.key, ca: visitor.authority };
    const socket = connect({
      ...{ host, port: Number(port), ...shown, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' },
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const [error] = await once(socket, 'error');
    assert.match(String(error), /alert protocol version/);
  });
});

describe('a TLS client of the internal port', () => {
  /**
   * Starts a gRPC server with the certificate in `identity`. The server requires a client certificate that `authority`
   * has signed.
   */
  async function serverWith(identity: typeof visitor) {
    const server = new Server();
    const pair = { cert_chain: identity.certificate, private_key: identity.key };
    const port = await new Promise<number>((resolve, reject) => {
      const secure = ServerCredentials.createSsl(visitor.authority, [pair], true);
      server.bindAsync('127.0.0.1:0', secure, (error, bound) => (error ? reject(error) : resolve(bound)));
    });
    return { server, address: `127.0.0.1:${port}` };
  }

  for (const [what, identity, details] of [
    ['from another authority', foreign, /certificate signature failure/],
    ['for another host', visitor, /IP: 127\.0\.0\.1 is not in the cert's list/],
  ] as const) {
    it(`sends no call if the certificate of the server is ${what}`, async () => {
      const { server, address } = await serverWith(identity);
      const client = clients.admin(address, mutualTls('127.0.0.1', visitor));
      const call = unary(done => client.getStats({}, internalMetadata('between us'), deadline(), done));
      await assert.rejects(call, { code: 14, details });
      client.close();
      server.forceShutdown();
    });
  }
});
