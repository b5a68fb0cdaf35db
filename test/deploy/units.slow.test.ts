import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { A2sServer } from '../system/a2s-server.ts';
import { Authority } from '../system/certificates.ts';
import type { Child } from '../system/child.ts';
import { enterOwnNetwork, ip } from '../system/network-namespace.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { keepSecret } from '../system/transcript.ts';
import { until } from '../system/until.ts';
import { commandsBelow, systemdHeadings } from './operations-page.ts';
import { ScratchMachine } from './scratch-machine.ts';
import { startUnit } from './units.ts';

const isRoot = process.getuid?.() === 0;
/**
 * Reason to skip the test. The test needs root, because only root can change the user. In CI, the test fails without
 * root and is never skipped.
 */
const skip = !isRoot && !process.env.CI && 'needs Linux and root';

const EMAIL = 'you@example.com';
const CERTIFICATE_DIRECTORY = '/renewed';
const users = ['gsq-core', 'gsq-gateway', 'gsq-notifier', 'gsq-prober'];
/** Files with secrets or data of gsq, each with the users besides root that are allowed to read the file. */
const secrets: Readonly<Record<string, readonly string[]>> = {
  '/etc/gsq/internal.secret': [],
  '/etc/gsq/tls/rest.key': ['gsq-gateway'],
  '/var/lib/gsq/token.key': ['gsq-core'],
  '/var/lib/gsq/leveldb/CURRENT': ['gsq-core'],
  '/run/credentials/gsq-core.service/internal.secret': ['gsq-core'],
  '/run/credentials/gsq-gateway.service/internal.secret': ['gsq-gateway'],
  '/run/credentials/gsq-prober.service/internal.secret': ['gsq-prober'],
  '/run/credentials/gsq-notifier.service/internal.secret': ['gsq-notifier'],
};
const programs = ['/usr/local/sbin/gsq', '/opt/gsq/package.json', '/etc/systemd/system/gsq-core.service'];

describe('the systemd units of gsq', { skip }, () => {
  const authority = new Authority(scratchDirectory());
  const units = new Map<string, Child>();
  let machine: ScratchMachine;
  let server: A2sServer;
  let token: string;

  before(async () => {
    assert.ok(isRoot, 'this test needs root, because it starts processes as different users');
    await enterOwnNetwork();
    server = await A2sServer.start();
    machine = new ScratchMachine();
    await machine.run(commandsBelow(systemdHeadings.install));
    await renewCertificate();
    appendFileSync(
      join(machine.root, 'etc/gsq/environment'),
      [
        'GSQ_ALLOW_TARGETS=127.0.0.0/8',
        'GSQ_HTTP_TLS_CERT=/etc/gsq/tls/rest.pem',
        'GSQ_HTTP_TLS_KEY=/etc/gsq/tls/rest.key\n',
      ].join('\n'),
    );
    await machine.run(commandsBelow(systemdHeadings.start));
    const enabled = /^enable --now (.*)$/m.exec(readFileSync(join(machine.root, 'systemctl.log'), 'utf8'));
    await startUnits(enabled?.[1]?.split(' ').filter(name => !name.endsWith('.target')) ?? []);
    token = (await machine.run(commandsBelow(systemdHeadings.token))).trim().split('\n').at(-1) ?? '';
    keepSecret(token);
  });
  after(async () => {
    server?.stop();
    await Promise.all([...units.values()].map(child => child.stop('SIGKILL')));
  });

  /**
   * Starts several systemd units of gsq at the same time. The credential files of the prober belong to root, and the
   * prober reads them as a member of their group. For all other units, the unit's user owns the credential files.
   */
  async function startUnits(names: Iterable<string>): Promise<void> {
    const starts = [...names].map(async name => {
      const credentialsByGroup = name === 'gsq-prober';
      units.set(name, await startUnit(machine, `${name}.service`, { credentialsByGroup }));
    });
    for (const start of await Promise.allSettled(starts)) if (start.status === 'rejected') throw start.reason;
    // Waits until all gsq processes are ready. The test runs its next command faster than an operator, so a process
    // might still be connecting to the core.
    for (const ops of [9090, 9092, 9093]) {
      await until(
        `the process at ${ops} is ready`,
        () => fetch(`http://127.0.0.1:${ops}/readyz`),
        ({ ok }) => ok,
      );
    }
  }

  async function stopUnits(): Promise<void> {
    for (const name of ['gsq-gateway', 'gsq-notifier', 'gsq-prober', 'gsq-core'])
      assert.equal(await units.get(name)?.stop(), 0, name);
  }

  /** Issues a certificate for the REST port, and runs the commands that Certbot runs after a renewal. */
  async function renewCertificate(): Promise<void> {
    const { certificate, key } = authority.issue('rest', ['127.0.0.1']);
    const directory = join(machine.root, CERTIFICATE_DIRECTORY);
    mkdirSync(directory, { recursive: true });
    cpSync(certificate, join(directory, 'fullchain.pem'));
    cpSync(key, join(directory, 'privkey.pem'));
    await machine.run(commandsBelow(systemdHeadings.certificates), {
      env: { RENEWED_LINEAGE: CERTIFICATE_DIRECTORY },
    });
  }

  /**
   * Fetches the status of the game server over REST. Returns the body of the answer, and the serial number of the
   * gateway's certificate.
   */
  function fetchServer(): Promise<{ body: string; serial: string }> {
    const headers = {
      'Content-Type': 'application/json',
      'Accept-Encoding': 'identity',
      'X-API-Token': token,
      'X-API-Token-Type': 'FREE',
      'X-API-Token-Email': EMAIL,
    };
    const options = { method: 'POST', headers, ca: readFileSync(authority.path), agent: false } as const;
    return new Promise((resolve, reject) => {
      const outgoing = request('https://127.0.0.1:8080/v1/post/fetch', options, response => {
        const { socket } = response;
        const serial =
          'getPeerCertificate' in socket ? String(Object(socket).getPeerCertificate().serialNumber) : '';
        response
          .setEncoding('utf8')
          .reduce((text: string, part: string) => text + part, '')
          .then(body => resolve({ body, serial }), reject);
      });
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify({ servers: [{ game_id: 'csgo', servers: [server.address] }] }));
    });
  }

  test('run the four processes as four different users', () => {
    assert.deepEqual([...units.keys()].sort(), users);
    const ids = [...units.values()].map(({ pid }) => statSync(`/proc/${pid}`).uid);
    assert.equal(new Set([...ids, 0]).size, 5, `user ids ${ids}`);
    for (const { pid } of units.values()) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      assert.match(status, /^NoNewPrivs:\s+1$/m);
      assert.match(status, /^CapBnd:\s+0+$/m);
    }
  });

  test('answer a fetch at the gateway with the result of a probe', async () => {
    const isOnline = ({ body }: { body: string }) =>
      JSON.parse(body)[server.address]?._updater?.status === 'online';
    const { body } = await until('the game server is online', fetchServer, isOnline);
    assert.equal(JSON.parse(body)[server.address].name, server.name);
    assert.ok(server.questions > 0);
  });

  test('use the shared secret that root created, so that the core creates none', () => {
    assert.equal(existsSync(join(machine.root, 'var/lib/gsq/token.key')), true);
    assert.equal(existsSync(join(machine.root, 'var/lib/gsq/internal.secret')), false);
  });

  test('allow only the users that need a secret to read this secret', async () => {
    for (const user of [...users, 'nobody-else']) {
      if (user === 'nobody-else') await machine.run(`useradd --system --user-group ${user}`);
      for (const [path, readers] of Object.entries(secrets)) {
        assert.ok(existsSync(join(machine.root, path)), path);
        const read = await machine.run(`cat ${path} > /dev/null 2>&1 && echo yes || echo no`, { user });
        assert.equal(read.trim(), readers.includes(user) ? 'yes' : 'no', `${user} reads ${path}`);
      }
      for (const path of programs) {
        const write = await machine.run(`[ -w ${path} ] && echo yes || echo no`, { user });
        assert.equal(write.trim(), 'no', `${user} writes ${path}`);
      }
      for (const [name, { pid }] of units) {
        const script = `cat /proc/${pid}/environ > /dev/null 2>&1 && echo yes || echo no`;
        // A user can always read the environment of their own processes. Therefore the test checks only the processes
        // of other users.
        if (name !== user)
          assert.equal((await machine.run(script, { user })).trim(), 'no', `${user}, ${name}`);
      }
    }
  });

  test('serve a renewed certificate without a restart', async () => {
    const { serial } = await fetchServer();
    await renewCertificate();
    await until('the gateway serves the new certificate', fetchServer, seen => seen.serial !== serial);
  });

  test('keep the data across a restart, and stop with exit status 0', async () => {
    await stopUnits();
    await startUnits(users);
    const { body } = await fetchServer();
    assert.equal(JSON.parse(body)[server.address].name, server.name);
    await stopUnits();
  });

  test('use TLS if the internal port listens on the network address of the machine', async () => {
    const directory = join(machine.root, 'etc/gsq');
    const paths = authority.issue('machine', ['10.0.0.5']);
    cpSync(authority.path, join(directory, 'ca.pem'));
    cpSync(paths.certificate, join(directory, 'machine.pem'));
    cpSync(paths.key, join(directory, 'internal.key'));
    chmodSync(join(directory, 'internal.key'), 0o600);
    await ip('address add 10.0.0.5/32 dev lo');
    await machine.run(commandsBelow(systemdHeadings.machines));
    await startUnits(users);
    assert.match(units.get('gsq-core')?.output ?? '', /"GSQ_INTERNAL_ADDR":"10\.0\.0\.5:50052"/);
    const { body } = await fetchServer();
    assert.equal(JSON.parse(body)[server.address].name, server.name);
    await machine.run('gsq doctor');
    await stopUnits();
  });

  test('can use a secret of version 0.1.0 after the documented commands have moved it to the secret file', async () => {
    const old = new ScratchMachine();
    const secret = 'the secret of the old units/+==';
    mkdirSync(join(old.root, 'etc/gsq'), { mode: 0o700 });
    old.write('/etc/gsq/environment', `GSQ_INTERNAL_SECRET=${secret}\nGSQ_LOG_LEVEL=info\n`);
    await old.run(commandsBelow(systemdHeadings.oldUnits));
    const path = join(old.root, 'etc/gsq/internal.secret');
    assert.equal(readFileSync(path, 'utf8'), `${secret}\n`);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(old.root, 'etc/gsq/environment'), 'utf8'), 'GSQ_LOG_LEVEL=info\n');
  });
});
