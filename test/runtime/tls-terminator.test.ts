import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { echoes, terminatedPort } from './terminated-port.ts';

/** Pattern of the error messages that a client gets if the TLS port closes the connection. */
const ENDED = /the connection ended|disconnected|ECONNRESET/;

const fingerprintOf = (socket: TLSSocket) => socket.getPeerX509Certificate()?.fingerprint256;

describe('a TLS handshake', { timeout: 20_000 }, () => {
  for (const protocol of ['h2', 'http/1.1'] as const) {
    test(`chooses ${protocol} if the port offers it, and fails for a client that only speaks another protocol`, async t => {
      const { fixture, open } = await terminatedPort(t, { protocol });
      const socket = open({ ALPNProtocols: ['other', protocol] });
      await once(socket, 'secureConnect');
      assert.equal(socket.alpnProtocol, protocol);
      const failed = fixture.nextLine();
      const [error] = await once(open({ ALPNProtocols: ['other'] }), 'error');
      assert.match(String(error), /no application protocol/);
      assert.match((await failed).message, /^a TLS handshake on the port failed$/);
    });
  }

  test('succeeds with TLS 1.2 and 1.3, and fails with TLS 1.1', async t => {
    const { open } = await terminatedPort(t);
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = open({ minVersion: version, maxVersion: version });
      await once(socket, 'secureConnect');
      assert.equal(socket.getProtocol(), version);
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const [error] = await once(open(old), 'error');
    assert.match(String(error), /alert protocol version/);
  });

  test('ends after the time limit if the client does not finish it, and the log contains peer and cause', async t => {
    const limits = { timeoutMs: 50, unfinished: 10 };
    const { fixture, port } = await terminatedPort(t, { limits });
    const failed = fixture.nextLine();
    const socket = connectTcp(port, '127.0.0.1').resume();
    await once(socket, 'close');
    assert.deepEqual(await failed, {
      level: 'warn',
      message: 'a TLS handshake on the port failed',
      peer: '127.0.0.1',
      cause: 'TLS handshake timeout',
    });
  });

  test('ends if it is the oldest of too many unfinished handshakes, so that other clients can still connect', async t => {
    const { port, open } = await terminatedPort(t, { limits: { timeoutMs: 600_000, unfinished: 2 } });
    const idle = async () => {
      const socket = connectTcp(port, '127.0.0.1').resume();
      t.after(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    const finished = open();
    await echoes(finished);
    const first = await idle();
    const firstClosed = once(first, 'close');
    const others = [await idle(), await idle()];
    await firstClosed;
    await echoes(open());
    await echoes(finished);
    assert.equal(others[1]?.destroyed, false);
  });

  test('ends when the client closes the connection, long before the time limit', async t => {
    const { fixture, port } = await terminatedPort(t, {
      limits: { timeoutMs: 600_000, unfinished: 10 },
      allowHalfOpen: true,
    });
    const failed = fixture.nextLine();
    connectTcp(port, '127.0.0.1').resume().end();
    assert.equal((await failed).cause, 'socket hang up');
  });

  test('fails if the client sends plain text, and the log contains the cause', async t => {
    const { fixture, port } = await terminatedPort(t);
    const failed = fixture.nextLine();
    connectTcp(port, '127.0.0.1')
      .resume()
      .on('error', () => {})
      .end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.equal((await failed).cause, 'http request');
  });
});

describe('a client certificate', { timeout: 20_000 }, () => {
  const stranger = new Authority(scratchDirectory());
  const shown = (authority: Authority, until?: number) => {
    const { certificate, key } = authority.issue('client', ['client.example'], until);
    return { cert: readFileSync(certificate), key: readFileSync(key) };
  };

  test('is accepted if the right authority signed it, but is not required', async t => {
    const { fixture, open } = await terminatedPort(t, { clientCertificates: true });
    await echoes(open());
    await echoes(open(shown(fixture.authority)));
  });

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`is refused if it has expired or another authority signed it, even if the client resumes a TLS session (${maxVersion})`, async t => {
      const { fixture, open } = await terminatedPort(t, { clientCertificates: true });
      const expired = shown(fixture.authority, Date.now() - 1000);
      for (const [wrong, cause] of [
        [shown(stranger), 'CERT_SIGNATURE_FAILURE'],
        [expired, 'CERT_HAS_EXPIRED'],
      ] as const) {
        const failed = fixture.nextLine();
        const first = open({ ...wrong, maxVersion });
        let session: Buffer | undefined;
        first.on('session', given => {
          session = given;
        });
        await assert.rejects(echoes(first), ENDED);
        assert.equal((await failed).cause, cause);
        if (session) await assert.rejects(echoes(open({ session, maxVersion })), ENDED);
      }
    });
  }

  test('is requested only if a certificate authority for clients is set', async t => {
    const { open } = await terminatedPort(t);
    await echoes(open(shown(stranger)));
  });
});

describe('the TLS files of a port', { timeout: 20_000 }, () => {
  test('are read again when they change: new connections get the new certificate, and open connections continue', async t => {
    const { fixture, open } = await terminatedPort(t);
    const before = open();
    await echoes(before);
    const told = fixture.nextLine();
    fixture.authority.issue('server', ['127.0.0.1']);
    assert.deepEqual([(await told).level, (await told).message], ['info', 'the port uses the new TLS files']);
    const after = open();
    await echoes(after);
    assert.notEqual(fingerprintOf(after), fingerprintOf(before));
    await echoes(before);
  });

  test('are used only when the new key matches the new certificate: until then, clients get the old certificate', async t => {
    const { fixture, open } = await terminatedPort(t);
    const before = open();
    await echoes(before);
    const key = readFileSync(fixture.paths.key);
    const other = fixture.authority.issue('other', ['127.0.0.1']);
    let told = fixture.nextLine();
    writeFileSync(fixture.paths.key, readFileSync(other.key));
    const { level, message, err } = await told;
    assert.equal(level, 'error');
    assert.match(message, /^the port cannot use the new TLS files and keeps the previous ones/);
    assert.match(err?.message ?? '', /^KEY: .* is not the key of the certificate in /);
    const during = open();
    await echoes(during);
    assert.equal(fingerprintOf(during), fingerprintOf(before));
    told = fixture.nextLine();
    writeFileSync(fixture.paths.key, key);
    assert.equal((await told).level, 'info');
    await echoes(open());
  });

  test('are read again if the certificate authority for clients changes, and old client certificates are refused', async t => {
    const { fixture, open } = await terminatedPort(t, { clientCertificates: true });
    const { certificate, key } = fixture.authority.issue('client', ['client.example']);
    const shown = { cert: readFileSync(certificate), key: readFileSync(key) };
    const ca = fixture.ca;
    const first = open(shown);
    const session = once(first, 'session');
    await echoes(first);
    const told = fixture.nextLine();
    writeFileSync(fixture.authority.path, readFileSync(new Authority(scratchDirectory()).path));
    assert.equal((await told).level, 'info');
    await assert.rejects(echoes(open({ ...shown, ca })), ENDED);
    const [resumed] = await session;
    await assert.rejects(echoes(open({ ...shown, ca, session: resumed })), ENDED);
  });
});
